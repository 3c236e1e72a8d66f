/** Non-durable state that replicas share: rate limits and statistics. */
export interface Shared {
  readonly rates: RateCounts;
  readonly semaphores: Semaphores;
  /** Null if no other process can exist. */
  readonly buckets: SharedBuckets | null;
  /** Null if no other process can exist. */
  readonly eventCounts: EventCounts | null;
}

export interface Rate {
  /** Name of the limit. Keys of different limits are independent. */
  readonly limit: string;
  readonly key: string;
  /** Maximum number of operations; at least 1. */
  readonly max: number;
}

export interface WindowCount {
  /**
   * Number of operations in the current window, including the current operation. Exact up to `max`; above `max`, the
   * number may be inexact but is greater than `max`.
   */
  readonly count: number;
  readonly endsInMs: number;
}

/** A rate that reached its maximum within the last minute. */
export interface Exceeded {
  readonly rate: Rate;
  /** Milliseconds until an operation is allowed; at least 1. */
  readonly waitMs: number;
}

/**
 * Operation counts for rate limits across all replicas. Both methods throw `StorageUnavailable` if the counts are
 * not available. The caller must then deny the operation.
 *
 * @example
 * const { count } = await rates.countInWindow({ limit: 'sign-in', key: address, max: 10 }, 60_000);
 * if (count > 10) throw new TooManyRequests();
 */
export interface RateCounts {
  /** Counts an operation in a fixed window, which starts with its first operation. Rejected operations count too. */
  countInWindow(rate: Rate, windowMs: number): Promise<WindowCount>;
  /**
   * Counts an operation against every rate, in a sliding minute. If a rate is exhausted, counts nothing and returns the
   * first exhausted rate.
   */
  countInMinute(rates: readonly Rate[]): Promise<Exceeded | null>;
}

export interface Semaphore {
  /** Semaphores with equal keys must have equal `permits`. */
  readonly key: string;
  /** Maximum number of concurrent holders; at least 1. */
  readonly permits: number;
}

export type Acquisition =
  | {
      readonly acquired: true;
      /**
       * Releases the semaphores. Idempotent. Resolves after the first attempt and never rejects. A failed release is retried in the
       * background.
       */
      readonly release: () => Promise<void>;
    }
  /** `full` is the first semaphore without a free permit. No semaphore was acquired. */
  | { readonly acquired: false; readonly full: Semaphore };

/**
 * Semaphores across all replicas. The permits of a dead replica become free within seconds. A replica that loses
 * contact with the store may lose its permits while it continues to work.
 *
 * @example
 * const acquisition = await semaphores.acquire([{ key: `turns of ${linkId}`, permits: 4 }]);
 * if (!acquisition.acquired) throw new TooManyRequests();
 * try {
 *   await answer();
 * } finally {
 *   await acquisition.release();
 * }
 */
export interface Semaphores {
  /** Acquires all semaphores or none. Throws `StorageUnavailable` if their state is not available. */
  acquire(semaphores: readonly Semaphore[]): Promise<Acquisition>;
}

export interface TakenFromBucket {
  /** Name of the limit. */
  readonly limit: string;
  /** Unique within one call. */
  readonly key: string;
  /** Amount taken, as the time in milliseconds that the bucket needs to refill it. */
  readonly ms: number;
}

/** Token buckets across all replicas. Each replica takes from a local copy first and reports the amounts afterwards. */
export interface SharedBuckets {
  /**
   * Adds the amounts that this replica took. Returns, in the same order, the milliseconds until each bucket is full
   * across all replicas.
   */
  take(taken: readonly TakenFromBucket[]): Promise<readonly number[]>;
}

export interface CountsOfMinute {
  readonly spaceId: string;
  /** Whole minutes since the Unix epoch. */
  readonly minute: number;
  /** ID of the counting process. Unique across restarts. */
  readonly counter: string;
  readonly counts: string;
}

export interface EventCounts {
  /** Time at which counting started, in Unix milliseconds. */
  readonly since: number;
  /** Replaces the earlier counts of the same counter, space and minute. */
  put(counts: readonly CountsOfMinute[]): Promise<void>;
  /** Returns the counts of other processes since the minute `from`, in no particular order. Counts older than an hour may be missing. */
  others(
    spaceId: string,
    from: number,
    counter: string,
  ): Promise<readonly Pick<CountsOfMinute, 'minute' | 'counts'>[]>;
  /** Replaces this replica's number of live-stream listeners per space. The numbers expire with the process. */
  putListeners(listeners: ReadonlyMap<string, number>): Promise<void>;
  /** Returns the number of live-stream listeners of a space at all other replicas. */
  listenersElsewhere(spaceId: string): Promise<number>;
}
