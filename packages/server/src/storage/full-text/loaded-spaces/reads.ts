import type { MaybePromise, ScopeDocuments } from '../../in-memory/index.ts';
import type { RankedPassage } from '../../ports/knowledge-engine.ts';

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
export interface ScopeReads extends ScopeDocuments {
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
