/** State that all replicas share and that is not part of the durable data: limits and statistics. */
export interface Shared {
  readonly rates: RateCounts;
  readonly semaphores: Semaphores;
  /** Null if no other process can exist. */
  readonly buckets: SharedBuckets | null;
  /** Null if no other process can exist. */
  readonly eventCounts: EventCounts | null;
}

/** A rate limit and the key that it applies to. */
export interface Rate {
  /** Name of the limit; the keys of different limits are independent. */
  readonly limit: string;
  /** Any text. */
  readonly key: string;
  /** Allowed operations; at least 1. */
  readonly max: number;
}

export interface WindowCount {
  /** Operations in the current window, including this one. May stop growing beyond `max`. */
  readonly count: number;
  /** Milliseconds until the window ends. */
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
 * not available; the caller must then deny the operation.
 */
export interface RateCounts {
  /** Counts an operation in a fixed window, which starts with its first operation. Operations beyond `max` count too. */
  countInWindow(rate: Rate, windowMs: number): Promise<WindowCount>;
  /** Counts an operation of every rate in a sliding minute. If one of them is exhausted, counts none and returns the first exhausted one. */
  countInMinute(rates: readonly Rate[]): Promise<Exceeded | null>;
}

/** A semaphore to acquire. */
export interface Semaphore {
  /** Any text; equal keys always have equal `permits`. */
  readonly key: string;
  /** Maximum number of concurrent holders; at least 1. */
  readonly permits: number;
}

export type Acquisition =
  | {
      readonly acquired: true;
      /** Releases the semaphores, asynchronously. Idempotent. */
      readonly release: () => void;
    }
  /** The first semaphore without a free permit; none was acquired. */
  | { readonly acquired: false; readonly full: Semaphore };

/**
 * Semaphores across all replicas. The permits of a dead replica become free within seconds. A replica that is cut
 * off from the store may lose its permits while it continues to work.
 */
export interface Semaphores {
  /** Acquires all of the semaphores or none. Throws `StorageUnavailable` if their state is not available. */
  acquire(semaphores: readonly Semaphore[]): Promise<Acquisition>;
}

/** An amount taken from a token bucket. */
export interface TakenFromBucket {
  /** Name of the limit. */
  readonly limit: string;
  /** Any text; unique within one call. */
  readonly key: string;
  /** Milliseconds in which the bucket regains this amount. */
  readonly ms: number;
}

/** Token buckets of all replicas. Each replica takes from its own copy and reports the amounts afterwards. */
export interface SharedBuckets {
  /** Adds what was taken here. Returns the milliseconds until each bucket is full, in the same order, including what other replicas took. */
  take(taken: readonly TakenFromBucket[]): Promise<readonly number[]>;
}

/** Counts of one process for one space and minute. */
export interface CountsOfMinute {
  readonly spaceId: string;
  /** Whole minutes since 1970. */
  readonly minute: number;
  /** Id of the counting process, unique across restarts. */
  readonly counter: string;
  /** Any text. */
  readonly counts: string;
}

/** Event statistics that replicas share. */
export interface EventCounts {
  /** Start of counting, Unix milliseconds. */
  readonly since: number;
  /** Replaces the earlier counts of the same counter, space and minute. */
  put(counts: readonly CountsOfMinute[]): Promise<void>;
  /** Returns the counts of other counters from a minute on, unordered. Counts older than an hour may be missing. */
  others(
    spaceId: string,
    from: number,
    counter: string,
  ): Promise<readonly Pick<CountsOfMinute, 'minute' | 'counts'>[]>;
  /** Replaces the number of live-stream listeners at this replica, per space. Valid until the process ends. */
  putListeners(listeners: ReadonlyMap<string, number>): Promise<void>;
  /** Returns the number of listeners of a space at other replicas. */
  listenersElsewhere(spaceId: string): Promise<number>;
}
