type MaybePromise<Value> = Value | Promise<Value>;

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
  /** Returns the sketches of a document. Returns an empty array if the document is not ready. */
  sketchesOf(kind: VectorKind, number: number): MaybePromise<readonly StoredSketches[]>;
}

/** Documents that the caller may search, in the same snapshot as `SketchReads`. */
export interface PermittedDocuments {
  /** String that identifies the scope within its space. */
  readonly key: string;
  /** Returns the numbers of all ready documents in the scope. */
  documents(): MaybePromise<Iterable<number>>;
  /** Returns those of the given numbers that belong to ready documents in the scope. */
  documentsAmong(numbers: readonly number[]): MaybePromise<Iterable<number>>;
}
