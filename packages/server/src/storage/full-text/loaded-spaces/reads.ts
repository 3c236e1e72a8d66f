import type { RankedPassage } from '../../ports/knowledge-engine.ts';

export type MaybePromise<Value> = Value | Promise<Value>;

/** An entry of the log of document changes. Triggers write the log. */
export interface DocumentChange {
  readonly spaceId: string;
  readonly number: number;
  /** `true`: the passages of the document may have changed, or the document may no longer be searchable. */
  readonly reindexed: boolean;
}

export interface StoredTerms {
  readonly number: number;
  /** Term vectors of the document's passages, in order; see `encodeTermVectors`. */
  readonly chunks: readonly Uint8Array[];
}

/** Reads of a space's index. All reads of a search see the same snapshot of the store. */
export interface SpaceReads {
  /** Returns the ready documents whose numbers are greater than `after`, in order of their numbers. */
  documents(after: number): Iterable<StoredTerms> | AsyncIterable<StoredTerms>;
  /** Returns those of the given numbers that belong to ready documents. */
  readyAmong(numbers: readonly number[]): MaybePromise<Iterable<number>>;
  /** Returns the term vectors of a document. */
  termsOf(number: number): MaybePromise<readonly Uint8Array[]>;
}

/** Reads of a scope, in the same snapshot as `SpaceReads`. */
export interface ScopeReads {
  /** String that identifies the scope within its space. */
  readonly key: string;
  /** Returns the numbers of all ready documents in the scope, and possibly of others. Must be fast. */
  candidates(): MaybePromise<Iterable<number>>;
  /** `true` if `candidates` returns only documents in the scope. */
  readonly isExact: boolean;
  /** Returns those of the given numbers that belong to ready documents in the scope. */
  documentsAmong(numbers: readonly number[]): MaybePromise<Iterable<number>>;
  /** Returns the given passages in order, without passages outside the scope. */
  passages(keys: readonly PassageKey[]): MaybePromise<readonly PassageRow[]>;
}

export interface PassageKey {
  readonly number: number;
  readonly position: number;
  readonly score: number;
}

export interface PassageRow extends Omit<RankedPassage, 'score'> {
  /** Title in the file, which is indexed with every passage. */
  readonly indexedTitle: string | null;
  /** Index of the passage in the `keys` of `ScopeReads.passages`. */
  readonly rank: number;
}
