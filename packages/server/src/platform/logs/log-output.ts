import sonicBoom from 'sonic-boom';

const BUFFER_BYTES = 4096;
const FLUSH_AFTER_MS = 500;
/** Maximum time in milliseconds for which `flush` waits for a reader that does not read. */
const FLUSH_WITHIN_MS = 1000;

export interface LogOutputOptions {
  /** File descriptor. */
  readonly fd: number;
  /**
   * `waits`: a line is written before `write` returns, as on a terminal. `at-once`: lines are written as soon as they are complete.
   * `buffered`: lines are written within half a second, and many at a time.
   */
  readonly mode: 'waits' | 'at-once' | 'buffered';
  /** Maximum bytes of lines that wait because they cannot be written yet. Further lines are lost. */
  readonly maxWaitingBytes: number;
  /** Called with the number of lost lines when lines can be written again, and by `flush`. */
  readonly onLost: (lines: number) => void;
}

/**
 * Writes lines to a file descriptor. A failure never affects the caller: if nobody reads a pipe any more, all further lines are ignored. If
 * lines cannot be written for another reason, for example because a disk is full, they wait and are written with later lines.
 */
export class LogOutput {
  readonly #destination: sonicBoom.SonicBoom;
  readonly #onLost: (lines: number) => void;
  #isBroken = false;
  #lost = 0;
  /** Monotonic time in milliseconds until which a full pipe is tried again. */
  #triesUntil = Number.POSITIVE_INFINITY;

  constructor({ fd, mode, maxWaitingBytes, onLost }: LogOutputOptions) {
    this.#onLost = onLost;
    this.#destination = new sonicBoom.SonicBoom({
      fd,
      sync: mode === 'waits',
      ...(mode === 'buffered' ? { minLength: BUFFER_BYTES, periodicFlush: FLUSH_AFTER_MS } : {}),
      maxLength: maxWaitingBytes,
      retryEAGAIN: () => performance.now() < this.#triesUntil,
    });
    this.#destination.on('error', (error: unknown) => this.#failed(error));
    this.#destination.on('drop', () => {
      this.#lost += 1;
    });
    this.#destination.on('drain', () => this.#reportLost());
  }

  write(line: string): void {
    if (!this.#isBroken) this.#destination.write(line);
  }

  /** Writes all waiting lines. Waits at most a second for a reader that does not read; a part of a line may then be written twice. */
  flush(): void {
    if (this.#isBroken) return;
    this.#triesUntil = performance.now() + FLUSH_WITHIN_MS;
    try {
      this.#destination.flushSync();
      this.#reportLost();
      this.#destination.flushSync();
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#triesUntil = Number.POSITIVE_INFINITY;
    }
  }

  #failed(error: unknown): void {
    if ((error as NodeJS.ErrnoException).code === 'EPIPE') this.#isBroken = true;
  }

  #reportLost(): void {
    if (this.#lost === 0) return;
    const lines = this.#lost;
    this.#lost = 0;
    this.#onLost(lines);
  }
}
