import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  isMarkedAsUntransferable,
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import { failure, formatBytes } from './extraction-error.ts';
import type { Extraction, ExtractionSource, KnownMimeType, Passage } from './extractor.ts';

export interface ThreadLimits {
  /** Milliseconds for one document. */
  readonly timeLimitMs: number;
  /** Bytes that the thread may hold, on its heap and beside it. */
  readonly memoryBytes: number;
}

/** Message to the thread: a document and the port for its passages. */
export interface ExtractionRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mimeType: KnownMimeType;
  readonly passages: MessagePort;
}

/** Message from the thread after it has posted all passages. The reply itself contains none. */
export type ExtractionReply = Extraction;

export type PassageBatch = readonly Passage[];

/** Interval in which the thread's memory is measured. It grows by up to about 20 MB in between. */
const MEASURE_INTERVAL_MS = 50;
/**
 * The heap's own limit as a multiple of ours. V8 ends the whole process if a single step, such as splitting a
 * text, exceeds it, so it must be out of reach: the measurement ends the thread long before.
 */
const HEAP_LIMIT_RATIO = 4;

/**
 * A thread that parses one document at a time. It ends, and `ended` is true, once a document has exceeded a limit
 * or the thread has failed. `extract` settles after its memory is free.
 */
export class ExtractionThread {
  readonly #worker: Worker;
  readonly #limits: ThreadLimits;
  #pending: PromiseWithResolvers<Extraction> | null = null;
  ended = false;

  constructor(limits: ThreadLimits) {
    this.#limits = limits;
    this.#worker = new Worker(new URL('./extraction-thread.ts', import.meta.url), {
      name: 'extraction',
      // Documents are untrusted: their parsers see no secrets and cannot write to our log.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: (limits.memoryBytes >> 20) * HEAP_LIMIT_RATIO },
    });
    this.#worker.on('message', (reply: ExtractionReply) => this.#pending?.resolve(reply));
    this.#worker.on('error', (error) => this.#onEnd(error as NodeJS.ErrnoException));
    this.#worker.on('exit', () => this.#onEnd(new Error('the extraction thread ended')));
    // An idle thread must not keep a process alive.
    this.#worker.unref();
  }

  /** Rejects if the thread fails for a reason that may not be the document. */
  async extract(source: ExtractionSource): Promise<Extraction> {
    const { port1: mine, port2: passages } = new MessageChannel();
    this.#pending = Promise.withResolvers<Extraction>();
    const timer = setTimeout(() => this.#fail(this.#tooSlow()), this.#limits.timeLimitMs);
    const measuring = setInterval(() => this.#measureMemory(), MEASURE_INTERVAL_MS);
    this.#worker.ref();
    try {
      this.#post(source, passages);
      const extraction = await this.#pending.promise;
      return extraction.ok ? { ...extraction, passages: await receiveAll(mine) } : extraction;
    } finally {
      this.#pending = null;
      clearTimeout(timer);
      clearInterval(measuring);
      mine.close();
      this.#worker.unref();
      if (this.ended) await this.#worker.terminate();
    }
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.#worker.terminate();
  }

  #post({ bytes, mimeType, transfer = false }: ExtractionSource, passages: MessagePort): void {
    const request: ExtractionRequest = { bytes, mimeType, passages };
    const moves = transfer && isTransferable(bytes);
    this.#worker.postMessage(request, moves ? [passages, bytes.buffer] : [passages]);
  }

  #fail(extraction: Extraction): void {
    this.ended = true;
    this.#pending?.resolve(extraction);
  }

  #onEnd(error: NodeJS.ErrnoException): void {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.#fail(this.#tooMuchMemory());
    this.ended = true;
    this.#pending?.reject(error);
  }

  #tooSlow(): Extraction {
    const seconds = Math.ceil(this.#limits.timeLimitMs / 1000);
    return failure('too-slow', `Reading the document takes longer than ${seconds} s; split it.`);
  }

  #tooMuchMemory(): Extraction {
    const most = formatBytes(this.#limits.memoryBytes);
    const reason = `Reading the document takes more than ${most} of memory; split it.`;
    return failure('too-complex', reason);
  }

  async #measureMemory(): Promise<void> {
    // Rejects if the thread has ended; `exit` reports that.
    const heap = await this.#worker.getHeapStatistics().catch(() => null);
    if (heap === null) return;
    const bytes = heap.used_heap_size + heap.external_memory;
    if (this.#pending !== null && bytes > this.#limits.memoryBytes)
      this.#fail(this.#tooMuchMemory());
  }
}

/** Reports whether bytes have their memory to themselves. Small buffers share a pool. */
function isTransferable({ buffer, byteLength }: Uint8Array<ArrayBuffer>): boolean {
  return byteLength === buffer.byteLength && !isMarkedAsUntransferable(buffer);
}

/** Receives batch by batch and yields to the event loop in between. */
async function receiveAll(port: MessagePort): Promise<Passage[]> {
  const all: Passage[] = [];
  for (;;) {
    const received: { message: PassageBatch } | undefined = receiveMessageOnPort(port);
    if (received === undefined) return all;
    all.push(...received.message);
    await yieldToEventLoop();
  }
}
