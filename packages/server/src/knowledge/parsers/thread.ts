import { setImmediate as turn } from 'node:timers/promises';
import {
  isMarkedAsUntransferable,
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import type { Extraction, ExtractionSource, Passage } from './extractor.ts';
import type { PassageBatch, ReadReply, ReadRequest } from './messages.ts';
import { failure, shownBytes } from './refusal.ts';

export interface ThreadLimits {
  /** Milliseconds for one document. */
  readonly timeLimitMs: number;
  /** Bytes that the thread may hold, on its heap and beside it. */
  readonly memoryBytes: number;
}

/** How often the thread's memory is looked at: it grows by some 20 MB in that time. */
const WATCH_MS = 50;
/**
 * The heap's own limit, several times ours. V8 ends the whole process when a single step, such as
 * splitting a text, passes it, so it must be out of reach; the watch ends the thread long before.
 */
const HEAP_LIMIT_RATIO = 4;

/**
 * A thread that reads one document at a time. It is ended, and `ended` is true, once a document has
 * exceeded a limit or the thread has broken off; the answer comes when its memory is free again.
 */
export class ExtractionThread {
  readonly #worker: Worker;
  readonly #limits: ThreadLimits;
  #asked: PromiseWithResolvers<Extraction> | null = null;
  ended = false;

  constructor(limits: ThreadLimits) {
    this.#limits = limits;
    this.#worker = new Worker(new URL('./extraction-thread.ts', import.meta.url), {
      name: 'extraction',
      // Documents come from anybody: what reads them sees no secrets, and says nothing in our log.
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: (limits.memoryBytes >> 20) * HEAP_LIMIT_RATIO },
    });
    this.#worker.on('message', (reply: ReadReply) => this.#asked?.resolve(reply));
    this.#worker.on('error', (error) => this.#break(error as NodeJS.ErrnoException));
    this.#worker.on('exit', () => this.#break(new Error('the extraction thread ended')));
    // An idle thread must not keep a process alive.
    this.#worker.unref();
  }

  /** Rejects when the thread breaks off, which is not known to be the document's fault. */
  async read(source: ExtractionSource): Promise<Extraction> {
    const { port1: mine, port2: passages } = new MessageChannel();
    this.#asked = Promise.withResolvers<Extraction>();
    const timer = setTimeout(() => this.#fail(this.#tooSlow()), this.#limits.timeLimitMs);
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    this.#worker.ref();
    try {
      this.#post(source, passages);
      const extraction = await this.#asked.promise;
      return extraction.ok ? { ...extraction, passages: await receiveAll(mine) } : extraction;
    } finally {
      this.#asked = null;
      clearTimeout(timer);
      clearInterval(watch);
      mine.close();
      this.#worker.unref();
      if (this.ended) await this.#worker.terminate();
    }
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.#worker.terminate();
  }

  #post({ bytes, mimeType, giveUp = false }: ExtractionSource, passages: MessagePort): void {
    const request: ReadRequest = { bytes, mimeType, passages };
    const moves = giveUp && isMovable(bytes);
    this.#worker.postMessage(request, moves ? [passages, bytes.buffer] : [passages]);
  }

  #fail(extraction: Extraction): void {
    this.ended = true;
    this.#asked?.resolve(extraction);
  }

  #break(error: NodeJS.ErrnoException): void {
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') this.#fail(this.#tooMuchMemory());
    this.ended = true;
    this.#asked?.reject(error);
  }

  #tooSlow(): Extraction {
    const seconds = Math.ceil(this.#limits.timeLimitMs / 1000);
    return failure('too-slow', `Reading the document takes longer than ${seconds} s; split it.`);
  }

  #tooMuchMemory(): Extraction {
    const most = shownBytes(this.#limits.memoryBytes);
    const reason = `Reading the document takes more than ${most} of memory; split it.`;
    return failure('too-complex', reason);
  }

  async #watch(): Promise<void> {
    // It rejects when the thread has ended, which is told elsewhere.
    const heap = await this.#worker.getHeapStatistics().catch(() => null);
    if (heap === null) return;
    const bytes = heap.used_heap_size + heap.external_memory;
    if (this.#asked !== null && bytes > this.#limits.memoryBytes) this.#fail(this.#tooMuchMemory());
  }
}

/** Bytes that share their memory with others, as small buffers do, are copied. */
function isMovable({ buffer, byteLength }: Uint8Array<ArrayBuffer>): boolean {
  return byteLength === buffer.byteLength && !isMarkedAsUntransferable(buffer);
}

/** Takes batch by batch and lets the event loop turn in between. */
async function receiveAll(port: MessagePort): Promise<Passage[]> {
  const all: Passage[] = [];
  for (;;) {
    const received: { message: PassageBatch } | undefined = receiveMessageOnPort(port);
    if (received === undefined) return all;
    all.push(...received.message);
    await turn();
  }
}
