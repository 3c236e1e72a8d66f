import { addAbortListener } from 'node:events';
import type { Extraction, ExtractionSource, PassageSink } from './extractor.ts';
import { ParserProcess, type ProcessLimits } from './processes/parser-process.ts';
import { extractionToInterrupt, nextExtraction, QUICK_MS } from './schedule.rules.ts';

export interface PoolOptions extends ProcessLimits {
  readonly processes: number;
  /** Idle time in milliseconds after which a process ends. */
  readonly idleMs: number;
}

interface QueuedExtraction {
  readonly spaceId: string;
  readonly source: ExtractionSource;
  readonly sink: PassageSink;
  readonly settled: PromiseWithResolvers<Extraction>;
  spentMs: number;
  isDeferred: boolean;
}

/** A slot for a parser process, which starts with the slot's first document. */
interface Slot {
  process: ParserProcess | null;
  run: Run | null;
  idle: NodeJS.Timeout | undefined;
}

interface Run {
  readonly extraction: QueuedExtraction;
  /** Monotonic milliseconds when parsing started; null while the process starts or receives the document. */
  startedAt: number | null;
  isInterrupted: boolean;
}

const REVIEW_INTERVAL_MS = 100;
/** A process that uses more than this share of the memory limit after parsing a document is replaced, to free the memory. */
const KEEP_BELOW = 0.5;
/** Maximum age of a process in milliseconds. An older process is replaced, long before it reaches its limit of CPU time. */
const MAX_AGE_MS = 600_000;

/**
 * Parses documents in a few processes. `schedule.rules.ts` decides which document runs. A process ends when it is idle, and
 * after an interruption or a failure.
 */
export class ExtractionPool {
  readonly #options: PoolOptions;
  readonly #slots: readonly Slot[];
  readonly #servedAt = new Map<string, number>();
  #waiting: QueuedExtraction[] = [];
  #starts = 0;
  #reviewing: NodeJS.Timeout | undefined;
  #ending: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.processes }, () => ({
      process: null,
      run: null,
      idle: undefined,
    }));
  }

  async extract(source: ExtractionSource, sink: PassageSink): Promise<Extraction> {
    if (this.#closed) throw closedError();
    const { spaceId, signal } = source;
    signal?.throwIfAborted();
    const settled = Promise.withResolvers<Extraction>();
    const extraction: QueuedExtraction = {
      spaceId,
      source,
      sink,
      settled,
      spentMs: 0,
      isDeferred: false,
    };
    using _ = signal && addAbortListener(signal, () => this.#cancel(extraction, signal.reason));
    this.#waiting.push(extraction);
    this.#dispatch();
    return await settled.promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#reviewing);
    for (const { settled } of this.#waiting.splice(0)) settled.reject(closedError());
    for (const slot of this.#slots) {
      clearTimeout(slot.idle);
      slot.run?.extraction.settled.reject(closedError());
    }
    await Promise.all(this.#slots.map(({ process }) => process?.end()));
    await this.#ending;
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (slot.run !== null) continue;
      const extraction = nextExtraction(
        this.#waiting,
        this.#running(),
        this.#slots.length,
        (spaceId) => this.#servedAt.get(spaceId) ?? 0,
      );
      if (extraction === undefined) break;
      this.#waiting = this.#waiting.filter((other) => other !== extraction);
      this.#noteStart(extraction);
      void this.#run(slot, extraction);
    }
    clearInterval(this.#reviewing);
    if (this.#slots.some(({ run }) => run !== null))
      this.#reviewing = setInterval(() => this.#review(), REVIEW_INTERVAL_MS).unref();
  }

  /** Records that an extraction of the space was started, so that the scheduler alternates between spaces. */
  #noteStart({ spaceId }: QueuedExtraction): void {
    this.#servedAt.set(spaceId, ++this.#starts);
    if (this.#waiting.length === 0) this.#servedAt.clear();
  }

  async #run(slot: Slot, extraction: QueuedExtraction): Promise<void> {
    clearTimeout(slot.idle);
    const run: Run = { extraction, startedAt: null, isInterrupted: false };
    slot.run = run;
    // An idle process may have ended, for example because the system had no memory left.
    if (slot.process?.ended !== false) slot.process = new ParserProcess(this.#options);
    const { process } = slot;
    try {
      const onStart = () => {
        run.startedAt = performance.now();
      };
      extraction.settled.resolve(await process.parse(extraction.source, extraction.sink, onStart));
    } catch (error) {
      const isCancelled = this.#closed || extraction.source.signal?.aborted === true;
      if (run.isInterrupted && !isCancelled) this.#waiting.push(extraction);
      else extraction.settled.reject(error);
    }
    const isWorn = process.ageMs > MAX_AGE_MS;
    if (isWorn || process.memoryBytes > this.#options.memoryBytes * KEEP_BELOW) await process.end();
    if (process.ended) slot.process = null;
    slot.run = null;
    if (this.#closed) return;
    slot.idle = setTimeout(() => this.#endIdle(slot), this.#options.idleMs).unref();
    this.#dispatch();
  }

  #endIdle(slot: Slot): void {
    this.#ending = Promise.all([this.#ending, slot.process?.end()]);
    slot.process = null;
  }

  /** Reports slow documents to their callers, and interrupts a document that delays others. */
  #review(): void {
    const running = this.#running();
    for (const { run, runMs } of running) if (runMs >= QUICK_MS) defer(run.extraction);
    if (running.length < this.#slots.length) return;
    const chosen = extractionToInterrupt(this.#waiting, running, this.#slots.length);
    if (chosen === undefined || running.some(({ run }) => run.isInterrupted)) return;
    const { run, runMs, slot } = chosen;
    run.isInterrupted = true;
    run.extraction.spentMs = Math.max(run.extraction.spentMs, runMs);
    defer(run.extraction);
    void slot.process?.end();
  }

  #running() {
    return this.#slots.flatMap((slot) => {
      const { run } = slot;
      if (run === null) return [];
      const { spaceId, spentMs } = run.extraction;
      const runMs = run.startedAt === null ? 0 : performance.now() - run.startedAt;
      return [{ slot, run, spaceId, spentMs, runMs }];
    });
  }

  #cancel(extraction: QueuedExtraction, reason: unknown): void {
    extraction.settled.reject(reason);
    this.#waiting = this.#waiting.filter((other) => other !== extraction);
    for (const { run, process } of this.#slots)
      if (run?.extraction === extraction) void process?.end();
  }
}

function defer(extraction: QueuedExtraction): void {
  if (extraction.isDeferred) return;
  extraction.isDeferred = true;
  extraction.source.onDeferred?.();
}

function closedError(): Error {
  return new Error('The extractor is closed.');
}
