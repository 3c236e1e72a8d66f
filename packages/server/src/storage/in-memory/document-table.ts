/** A document in memory. Its items, for example passages, have consecutive ordinals. */
export interface DocumentItems {
  readonly number: number;
  /** Ordinal of the first item. */
  readonly first: number;
  /** Ordinal after the last item. */
  readonly end: number;
}

/**
 * The documents of a space in memory. A slot is the index of a document in the order in which documents are added. Neither slots nor ordinals
 * are reused.
 */
export interface DocumentTable<Items extends DocumentItems> {
  /** Number of ordinals in use, including those of deleted documents. */
  readonly size: number;
  readonly byteLength: number;
  /** Returns the slot of a document, or `null` if the document is unknown or deleted. */
  slotOf(number: number): number | null;
  /** Returns the document of a slot, even if the document was deleted. */
  document(slot: number): Items;
  documentOf(ordinal: number): Items;
}

/** The items of a scope, as one bit per ordinal. */
export interface VisibleItems<Items extends DocumentItems> {
  readonly bits: Uint32Array;
  readonly byteLength: number;
  /** Adds the items of a document to the scope or removes them. */
  set(document: Items, isVisible: boolean): void;
}
