import type { MaybePromise } from '../../in-memory/index.ts';
import type { Near } from '../near.ts';

/** Sketches of consecutive passages as they are stored. */
export interface StoredSketches {
  /** Position of the first passage. */
  readonly first: number;
  readonly sketches: Uint8Array;
}

export interface StoredDocument {
  readonly number: number;
  /** Ordered by position. */
  readonly rows: readonly StoredSketches[];
}

/** Model and number of dimensions of vectors. Vectors that differ in either are never compared. */
export interface VectorKind {
  readonly model: string;
  readonly dimensions: number;
}

/** Reads of a space's sketches. All reads of a search see the same snapshot of the store. */
export interface SketchReads {
  /** Returns the ready documents that have sketches of the kind and whose numbers are greater than `after`, in order of their numbers. */
  documents(
    kind: VectorKind,
    after: number,
  ): Iterable<StoredDocument> | AsyncIterable<StoredDocument>;
  /** Returns those of the given documents that are ready and have sketches of the kind. */
  sketchesOf(kind: VectorKind, numbers: readonly number[]): MaybePromise<readonly StoredDocument[]>;
  /** Returns the vector of each passage, one byte per dimension. */
  vectorsOf(
    passages: readonly Near[],
    dimensions: number,
  ): MaybePromise<readonly (Uint8Array | undefined)[]>;
}
