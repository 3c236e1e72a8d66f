import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';
import { PacedRejections } from '../scheduling/index.ts';
import { MAX_WAITING_OF_CALLER, type ReadLimits, ReadsOverloaded } from './read-limits.ts';

export interface ConcurrentCaller {
  readonly caller: string;
  /** Maximum number of concurrent reads. It must be the same in all reads of the caller. */
  readonly maxConcurrent: number;
}

interface ReadsOfCaller {
  readonly semaphore: Semaphore;
  /** Reads that run or wait. */
  reads: number;
}

/**
 * Limits how many reads with a large body each caller runs at the same time. The body of a read is parsed only when the read may run, so the
 * event loop parses a burst of bodies no faster than the search threads answer them.
 */
export class CallerSemaphores {
  readonly #limits: Pick<ReadLimits, 'maxWaitMs' | 'onRejected'>;
  readonly #byCaller = new Map<string, ReadsOfCaller>();
  readonly #rejections = new PacedRejections(() => performance.now());

  constructor(limits: Pick<ReadLimits, 'maxWaitMs' | 'onRejected'>) {
    this.#limits = limits;
  }

  /**
   * Runs a read when the caller's semaphore permits it.
   *
   * @param read receives null if it did not wait. Otherwise it receives a signal, which aborts with `ReadsOverloaded` when
   *   `ReadLimits.maxWaitMs` have passed since the call of `run`. It limits the time here and in the queue of a search thread together.
   * @throws {ReadsOverloaded} if 64 reads of the caller are waiting, or if the read has waited for `ReadLimits.maxWaitMs`. Repeated errors
   *   of the first kind are delayed as `PacedRejections` describes.
   */
  async run<Result>(
    { caller, maxConcurrent }: ConcurrentCaller,
    read: (signal: AbortSignal | null) => Promise<Result>,
  ): Promise<Result> {
    const own = this.#byCaller.get(caller) ?? { semaphore: new Semaphore(maxConcurrent), reads: 0 };
    if (own.reads >= maxConcurrent + MAX_WAITING_OF_CALLER) {
      await this.#rejections.wait(caller);
      throw this.#overloaded();
    }
    this.#byCaller.set(caller, own);
    own.reads += 1;
    try {
      if (own.reads <= maxConcurrent) return await own.semaphore.runExclusive(() => read(null));
      return await this.#runLater(own.semaphore, read);
    } finally {
      own.reads -= 1;
      if (own.reads === 0) this.#byCaller.delete(caller);
    }
  }

  async #runLater<Result>(
    semaphore: Semaphore,
    read: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { maxWaitMs } = this.#limits;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new ReadsOverloaded('caller')), maxWaitMs);
    try {
      const waiting = withTimeout(semaphore, maxWaitMs);
      return await waiting.runExclusive(() => {
        late.signal.throwIfAborted();
        return read(late.signal);
      });
    } catch (error) {
      throw error === E_TIMEOUT || error === late.signal.reason ? this.#overloaded() : error;
    } finally {
      clearTimeout(timer);
    }
  }

  #overloaded(): ReadsOverloaded {
    this.#limits.onRejected('caller');
    return new ReadsOverloaded('caller');
  }
}
