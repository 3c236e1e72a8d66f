export { bitsOf } from './bits-of.ts';
export { NumberSet } from './number-set.ts';
export {
  afterLast,
  frequencyOf,
  MAX_FREQUENCY,
  MAX_ORDINALS,
  ordinalOf,
  type PostingsCursor,
} from './postings.ts';
export { TermDictionary } from './term-dictionary.ts';
export { FIELD_WEIGHTS, type IndexedDocument, TermIndex } from './term-index.ts';
export { encodeTermVectors, type Frequencies, type SearchableTexts } from './term-vectors.ts';
