export type MaybePromise<Value> = Value | Promise<Value>;

/** An entry of the log of document changes. Triggers write the log. */
export interface DocumentChange {
  readonly spaceId: string;
  readonly number: number;
  /** `true`: the passages of the document may have changed, or the document may no longer be searchable. */
  readonly reindexed: boolean;
}

/** Reads of a scope, in the same snapshot as the reads of its space. */
export interface ScopeDocuments {
  /** String that identifies the scope within its space. */
  readonly key: string;
  /** Returns the numbers of all ready documents in the scope, and possibly of others. Must be fast. */
  candidates(): MaybePromise<Iterable<number>>;
  /** `true` if `candidates` returns only documents in the scope. */
  readonly isExact: boolean;
  /** Returns those of the given numbers that belong to ready documents in the scope. */
  documentsAmong(numbers: readonly number[]): MaybePromise<Iterable<number>>;
}
