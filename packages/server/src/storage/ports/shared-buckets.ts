/** What was taken from a token bucket. */
export interface TakenFromBucket {
  /** Names the limit. */
  readonly limit: string;
  /** Whose bucket: any text. In one call none comes twice. */
  readonly key: string;
  /** In how many milliseconds this much comes back. */
  readonly ms: number;
}

/** Token buckets that replicas have together: each takes from its own and tells the others afterwards. */
export interface SharedBuckets {
  /** Tells what was taken; gives for each, in the same order, the milliseconds until its bucket is full, with all that others took. */
  take(taken: readonly TakenFromBucket[]): Promise<readonly number[]>;
}
