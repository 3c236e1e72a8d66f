import { setImmediate as turn } from 'node:timers/promises';
import {
  isMarkedAsUntransferable,
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  Worker,
} from 'node:worker_threads';
import type { Extraction, ExtractionSource, Passage } from '../../ports/extractor.ts';
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

const BROKE_OFF = 'The document could not be read: reading it broke off.';

/**
 * A thread that reads one document at a time. It is ended, and `ended` is true, once a document has
 * exceeded a limit or broken it; the answer comes after that, when its memory is free again.
 */
export class ExtractionThread {
  readonly #worker: Worker;
  readonly #limits: ThreadLimits;
  #answer: ((extraction: Extraction) => void) | null = null;
  ended = false;

  constructor(limits: ThreadLimits) {
    this.#limits = limits;
    this.#worker = new Worker(new URL('./extraction-thread.ts', import.meta.url), {
      name: 'extraction',
      // Documents come from anybody: what reads them sees no secrets, and says nothing in our log.
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: (limits.memoryBytes >> 20) * HEAP_LIMIT_RATIO },
    });
    this.#worker.on('message', (reply: ReadReply) => this.#answer?.(reply));
    this.#worker.on('error', (error) => this.#fail(failureOf(error as NodeJS.ErrnoException)));
    this.#worker.on('exit', () => this.#fail(failure('corrupt', BROKE_OFF)));
    // An idle thread must not keep a process alive.
    this.#worker.unref();
  }

  async read({ bytes, mimeType, giveUp = false }: ExtractionSource): Promise<Extraction> {
    const { port1: mine, port2: passages } = new MessageChannel();
    const { promise, resolve } = Promise.withResolvers<Extraction>();
    this.#answer = resolve;
    this.#worker.ref();
    const timer = setTimeout(() => this.#fail(this.#tooSlow()), this.#limits.timeLimitMs);
    const watch = setInterval(() => this.#watch(), WATCH_MS);
    const request: ReadRequest = { bytes, mimeType, passages };
    const moves = giveUp && isMovable(bytes);
    this.#worker.postMessage(request, moves ? [passages, bytes.buffer] : [passages]);
    const extraction = await promise;
    this.#answer = null;
    clearTimeout(timer);
    clearInterval(watch);
    this.#worker.unref();
    if (this.ended) await this.#worker.terminate();
    const whole = extraction.ok ? { ...extraction, passages: await receiveAll(mine) } : extraction;
    mine.close();
    return whole;
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.#worker.terminate();
  }

  #fail(extraction: Extraction): void {
    this.ended = true;
    this.#answer?.(extraction);
  }

  #tooSlow(): Extraction {
    const seconds = Math.ceil(this.#limits.timeLimitMs / 1000);
    return failure('too-slow', `Reading the document takes longer than ${seconds} s; split it.`);
  }

  async #watch(): Promise<void> {
    // It rejects when the thread has ended, which is told elsewhere.
    const heap = await this.#worker.getHeapStatistics().catch(() => null);
    if (heap === null || this.#answer === null) return;
    const { memoryBytes } = this.#limits;
    if (heap.used_heap_size + heap.external_memory > memoryBytes)
      this.#fail(tooMuchMemory(memoryBytes));
  }
}

function tooMuchMemory(memoryBytes: number): Extraction {
  const most = shownBytes(memoryBytes);
  return failure(
    'too-complex',
    `Reading the document takes more than ${most} of memory; split it.`,
  );
}

function failureOf({ code }: NodeJS.ErrnoException): Extraction {
  return code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? failure('too-complex', 'Reading the document takes too much memory; split it.')
    : failure('corrupt', BROKE_OFF);
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
