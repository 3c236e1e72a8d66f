/** Something that is limited, and who does it. */
export interface Rate {
  /** Names the limit; keys of one say nothing about those of another. */
  readonly limit: string;
  /** Who: any text. */
  readonly key: string;
  /** How often they may; at least 1. */
  readonly max: number;
}

export interface WindowCount {
  /** In the window under way, this one included; beyond `max` it may stand still. */
  readonly count: number;
  /** Milliseconds until the window ends, and the next one begins to count. */
  readonly endsInMs: number;
}

/** A rate of which the last minute has had its most. */
export interface Exceeded {
  readonly rate: Rate;
  /** Milliseconds until the last minute has had fewer; at least 1. */
  readonly waitMs: number;
}

/**
 * How often something was done lately, for limits that all replicas hold together. Both methods throw
 * `StorageUnavailable` when that cannot be known: whoever asks must then let nothing through.
 */
export interface RateCounts {
  /** Counts one more in a window that begins with the first in it. What is beyond the most is counted too. */
  countInWindow(rate: Rate, windowMs: number): Promise<WindowCount>;
  /** Counts one more of each, in any minute, unless one of them has had its most: then of none, and the first such is given. */
  countInMinute(rates: readonly Rate[]): Promise<Exceeded | null>;
}
