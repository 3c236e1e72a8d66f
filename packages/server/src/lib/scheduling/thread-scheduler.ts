import { FairQueue } from './fair-queue.ts';

/** What work may take of one turn of the event loop before everything else has its turn. */
const SLICE_MS = 2;

/**
 * Work that keeps the thread busy, taken in turn from each of those it is for, a little in each turn of the
 * event loop: so that whoever asks for one thing does not wait for all that somebody else has asked for, and
 * what came in meanwhile is seen. While there is little to do, it is done at once.
 */
export class ThreadScheduler {
  readonly #waiting = new FairQueue<() => void>();
  /** In this turn of the event loop, milliseconds. */
  #used = 0;
  #scheduled = false;

  /** Does the work, which must not wait for anything; gives what it gives, or rejects with what it throws. */
  async run<Result>(key: string, work: () => Result): Promise<Result> {
    if (this.#waiting.isEmpty && this.#used < SLICE_MS) return this.#measure(work);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.add(key, () => {
      try {
        resolve(this.#measure(work));
      } catch (error) {
        reject(error);
      }
    });
    return promise;
  }

  #measure<Result>(work: () => Result): Result {
    this.#schedule();
    const begun = performance.now();
    try {
      return work();
    } finally {
      this.#used += performance.now() - begun;
    }
  }

  /** A new turn of the event loop. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#used = 0;
      while (this.#used < SLICE_MS) {
        const next = this.#waiting.take();
        if (next === undefined) return;
        next();
      }
      this.#schedule();
    });
  }
}
