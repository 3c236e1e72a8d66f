import { once } from 'node:events';
import { failure, formatBytes } from '../extraction-error.ts';
import type { Extraction, ExtractionFailure, ExtractionSource, PassageSink } from '../extractor.ts';
import { FRAME, type FrameKind, FrameReader, ParserEnded, toFrame } from './frames.ts';
import { type DocumentHeader, readBatch, readResult } from './messages.ts';
import { type Child, privateMemoryOf, spawnParser } from './spawn-parser.ts';

export interface ProcessLimits {
  readonly timeLimitMs: number;
  readonly memoryBytes: number;
  /** File of the program. Tests pass the program of the bundle, which starts faster. Default: the source file. */
  readonly program?: string;
}

/** Interval of memory measurements in milliseconds. Between two measurements the operating system's limit applies. */
const MEASURE_INTERVAL_MS = 20;
/** A process that is not ready within this many milliseconds is treated as having failed to start. */
const START_LIMIT_MS = 60_000;
/** Signals with which V8 ends its process if the heap limit is reached or the system denies memory. */
const OUT_OF_MEMORY: readonly (NodeJS.Signals | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

/**
 * A process that parses one document at a time. The process ends, and `ended` becomes `true`, after a document exceeds a
 * limit, `parse` rejects, or the process fails.
 */
export class ParserProcess {
  readonly #limits: ProcessLimits;
  readonly #child: Child;
  readonly #replies: FrameReader;
  readonly #exited: Promise<unknown>;
  readonly #startedAt = performance.now();
  #isReady = false;
  /** Result to report for the current document if the process ends before it sends a result. */
  #exit = Promise.withResolvers<ExtractionFailure>();
  #exceeded: ExtractionFailure | null = null;
  ended = false;

  constructor(limits: ProcessLimits) {
    this.#limits = limits;
    this.#child = spawnParser(limits.memoryBytes, limits.program);
    this.#replies = new FrameReader(this.#child.stdout);
    this.#exited = once(this.#child, 'exit').catch(() => {});
    this.#exit.promise.catch(() => {});
    // The process may end while a document is written. `exit` reports the end.
    this.#child.stdin.on('error', () => {});
    this.#child.on('error', (cause) =>
      this.#onExit(null, new ParserEnded('cannot start', { cause })),
    );
    this.#child.on('exit', (code, signal) =>
      this.#onExit(signal, new ParserEnded(signal ?? `exit code ${code}`)),
    );
    this.#keepAlive(false);
  }

  get ageMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Private memory in bytes. */
  get memoryBytes(): number {
    return privateMemoryOf(this.#child);
  }

  /**
   * Parses a document and passes its passages to the sink.
   *
   * @param onStart called when the process starts to parse.
   * @throws Error if the process fails without exceeding a limit, or if the source or the sink throws. The document is not
   *   necessarily the cause.
   */
  async parse(
    source: ExtractionSource,
    sink: PassageSink,
    onStart: () => void,
  ): Promise<Extraction> {
    const measuring = setInterval(() => this.#measureMemory(), MEASURE_INTERVAL_MS);
    this.#keepAlive(true);
    try {
      return await Promise.race([this.#exit.promise, this.#exchange(source, sink, onStart)]);
    } catch (error) {
      await this.end();
      if (error instanceof ParserEnded) return await this.#exit.promise;
      throw error;
    } finally {
      clearInterval(measuring);
      this.#keepAlive(false);
      if (this.ended) await this.#exited;
    }
  }

  /** Kills the process. Resolves when its memory is free. */
  async end(): Promise<void> {
    this.ended = true;
    this.#child.ref();
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  async #exchange(
    source: ExtractionSource,
    sink: PassageSink,
    onStart: () => void,
  ): Promise<Extraction> {
    if (!this.#isReady) await this.#within(START_LIMIT_MS, null, FRAME.ready);
    this.#isReady = true;
    await this.#send(source);
    onStart();
    const { timeLimitMs } = this.#limits;
    const result = readResult(await this.#within(timeLimitMs, this.#tooSlow(), FRAME.result));
    if (!result.ok) return result;
    await sink.begin(result);
    for (let left = result.passages; left > 0; ) {
      const batch = readBatch(await this.#within(timeLimitMs, this.#tooSlow(), FRAME.passages));
      await sink.add(batch);
      left -= batch.length;
    }
    return result;
  }

  async #send({ mimeType, size, read }: ExtractionSource): Promise<void> {
    const header: DocumentHeader = { mimeType, size };
    await this.#write(toFrame(FRAME.document, header));
    let sent = 0;
    for await (const part of read()) {
      await this.#write(part);
      sent += part.length;
    }
    if (sent !== size) throw new Error('The document does not have its declared size.');
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { stdin } = this.#child;
    if (!stdin.write(bytes) && !this.ended) await once(stdin, 'drain');
  }

  /** Returns the next message. Ends the process after `limitMs`. */
  async #within(
    limitMs: number,
    exceeded: ExtractionFailure | null,
    kind: FrameKind,
  ): Promise<unknown> {
    const timer = setTimeout(() => this.#exceed(exceeded), limitMs);
    try {
      return await this.#replies.next(kind);
    } finally {
      clearTimeout(timer);
    }
  }

  #measureMemory(): void {
    if (this.memoryBytes > this.#limits.memoryBytes) this.#exceed(this.#tooMuchMemory());
  }

  #exceed(exceeded: ExtractionFailure | null): void {
    this.#exceeded ??= exceeded;
    this.ended = true;
    this.#child.kill('SIGKILL');
  }

  #onExit(signal: NodeJS.Signals | null, error: ParserEnded): void {
    this.ended = true;
    const isOutOfMemory = this.#isReady && OUT_OF_MEMORY.includes(signal);
    const exceeded = this.#exceeded ?? (isOutOfMemory ? this.#tooMuchMemory() : null);
    if (exceeded !== null) this.#exit.resolve(exceeded);
    else this.#exit.reject(error);
    this.#child.stdin.destroy();
    this.#child.stdout.destroy();
  }

  /** An idle process must not keep the service alive. */
  #keepAlive(isBusy: boolean): void {
    const { stdin, stdout } = this.#child;
    for (const part of [this.#child, stdin, stdout]) {
      if (isBusy) refOf(part)?.ref();
      else refOf(part)?.unref();
    }
  }

  #tooSlow(): ExtractionFailure {
    const seconds = Math.ceil(this.#limits.timeLimitMs / 1000);
    const reason = `Extracting the text took longer than ${seconds} s; split the document.`;
    return failure('too-slow', reason);
  }

  #tooMuchMemory(): ExtractionFailure {
    const limit = formatBytes(this.#limits.memoryBytes);
    const reason = `Extracting the text took more than ${limit} of memory; split the document.`;
    return failure('too-complex', reason);
  }
}

interface Referenced {
  ref(): unknown;
  unref(): unknown;
}

/** Returns the argument if it has `ref` and `unref`. Pipes have both methods at run time, but their declared types do not. */
function refOf(part: object): Referenced | null {
  return 'ref' in part && 'unref' in part ? (part as Referenced) : null;
}
