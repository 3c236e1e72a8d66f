/*
 * A passage's rowid, 63 bits: 20 of the space's number, 27 of the document's in its space, 16 of the
 * passage's place. A document's number is that without the last, 47 bits, which a double holds exactly.
 */
const DOCUMENT_BITS = 27;
const PASSAGE_BITS = 16;

/** How many passages a document may have. */
export const MAX_PASSAGES = 2 ** PASSAGE_BITS;
export const MAX_DOCUMENTS = 2 ** DOCUMENT_BITS;
export const MAX_SPACES = 2 ** 20;

/** @param ordinal of the document in its space, from 1. */
export function documentNumber(space: number, ordinal: number): number {
  return space * MAX_DOCUMENTS + ordinal;
}

/** The rowids of a space's passages: the first, and the last. Too large for a double. */
export function rowidsOfSpace(space: number): readonly [bigint, bigint] {
  const bits = BigInt(DOCUMENT_BITS + PASSAGE_BITS);
  return [BigInt(space) << bits, (BigInt(space + 1) << bits) - 1n];
}

/** The rowids of a document's passages from a place on: the first, and the last. */
export function rowidsOfDocument(number: number, from = 0): readonly [bigint, bigint] {
  const base = BigInt(number) << BigInt(PASSAGE_BITS);
  return [base + BigInt(from), base + BigInt(MAX_PASSAGES - 1)];
}
