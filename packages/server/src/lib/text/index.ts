export { closeness } from './closeness.ts';
export { toCsvCell, toCsvRow } from './csv.ts';
export { GrowingText } from './growing-text.ts';
export { type Highlight, highlight, SNIPPET_LENGTH } from './highlight.ts';
export {
  isEmpty,
  MAX_QUERY_TERMS,
  type Phrase,
  type Query,
  type QueryOptions,
  type QueryTerm,
  readQuery,
  stemPrefix,
} from './query.ts';
export { containsPhrases, findHits, type Hit, type Range, ranges } from './ranges.ts';
export { sentencesOf } from './sentences.ts';
export { indexedText, LONGEST_TERM, type Token, tokenise } from './tokenise.ts';
