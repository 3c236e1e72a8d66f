import { FairQueue } from './fair-queue.ts';

/** Time in milliseconds that work may take in one iteration of the event loop. */
const SLICE_MS = 2;

/**
 * Schedules synchronous work of many keys. Keys alternate. Work beyond 2 ms is deferred to the next iteration of the event
 * loop, which keeps the thread responsive. Work runs immediately if no other work is waiting and the 2 ms are not used
 * up.
 */
export class ThreadScheduler {
  readonly #waiting = new FairQueue<() => void>();
  /** Time used in this iteration of the event loop, in milliseconds. */
  #used = 0;
  #scheduled = false;

  /** Runs synchronous work. Resolves with its result or rejects with its error. */
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
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#used += performance.now() - start;
    }
  }

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
