import { E_TIMEOUT, Semaphore, withTimeout } from 'async-mutex';
import { PacedRejections } from '../scheduling/index.ts';
import { MAX_WAITING_OF_CALLER, type ReadLimits, ReadsOverloaded } from './read-limits.ts';

/** A caller, and the number of its places. The number must be the same in all reads of the caller. */
export interface PlacesOf {
  readonly caller: string;
  readonly places: number;
}

interface Places {
  readonly semaphore: Semaphore;
  /** Reads that run or wait. */
  reads: number;
}

/**
 * Limits how many reads with a large body each caller runs at the same time. The body of a read is parsed only when it has a place, so the
 * event loop parses a burst of bodies no faster than the search threads answer them.
 */
export class CallerPlaces {
  readonly #limits: Pick<ReadLimits, 'maxWaitMs' | 'onRejected'>;
  readonly #byCaller = new Map<string, Places>();
  readonly #rejections = new PacedRejections(() => performance.now());

  constructor(limits: Pick<ReadLimits, 'maxWaitMs' | 'onRejected'>) {
    this.#limits = limits;
  }

  /**
   * Runs a read when the caller has a free place.
   *
   * @param read receives null if it did not wait. Otherwise it receives a signal, which aborts with `ReadsOverloaded` when
   *   `ReadLimits.maxWaitMs` have passed since the call of `run`. It limits the time here and in the queue of a search thread together.
   * @throws {ReadsOverloaded} if 64 reads of the caller are waiting, or if the read has waited for `ReadLimits.maxWaitMs`. Repeated errors
   *   of the first kind are delayed as `PacedRejections` describes.
   */
  async run<Result>(
    { caller, places: count }: PlacesOf,
    read: (signal: AbortSignal | null) => Promise<Result>,
  ): Promise<Result> {
    const places = this.#byCaller.get(caller) ?? { semaphore: new Semaphore(count), reads: 0 };
    if (places.reads >= count + MAX_WAITING_OF_CALLER) {
      await this.#rejections.wait(caller);
      throw this.#overloaded();
    }
    this.#byCaller.set(caller, places);
    places.reads += 1;
    try {
      if (places.reads <= count) return await places.semaphore.runExclusive(() => read(null));
      return await this.#runLater(places.semaphore, read);
    } finally {
      places.reads -= 1;
      if (places.reads === 0) this.#byCaller.delete(caller);
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
