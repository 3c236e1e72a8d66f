/*
 * The rowid of a passage has 63 bits: 20 bits for the space, 27 bits for the document within the space, and 16 bits for
 * the position of the passage. A document number consists of the first 47 bits, which a double represents exactly.
 */
const DOCUMENT_BITS = 27;
const PASSAGE_BITS = 16;

export const MAX_PASSAGES = 2 ** PASSAGE_BITS;
/** Maximum number of documents per space, including deleted ones. */
export const MAX_DOCUMENTS = 2 ** DOCUMENT_BITS;
export const MAX_SPACES = 2 ** 20;

/** @param ordinal number of the document within its space, from 1. */
export function documentNumber(space: number, ordinal: number): number {
  return space * MAX_DOCUMENTS + ordinal;
}

/** Returns the first and last rowid of a document's passages. These rowids exceed the integer range of doubles. */
export function rowidsOfDocument(number: number, from = 0): readonly [bigint, bigint] {
  const base = BigInt(number) << BigInt(PASSAGE_BITS);
  return [base + BigInt(from), base + BigInt(MAX_PASSAGES - 1)];
}
