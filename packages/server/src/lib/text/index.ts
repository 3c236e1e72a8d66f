export { closeness } from './closeness.ts';
export { toCsvRow } from './csv.ts';
export { GrowingText } from './growing-text.ts';
export { highlight, SNIPPET_LENGTH } from './highlight.ts';
export { isEmpty, MAX_QUERY_TERMS, type Query, readQuery, stemPrefix } from './query.ts';
export { containsPhrases } from './ranges.ts';
export { sentencesOf } from './sentences.ts';
export { indexedText, LONGEST_TERM, tokenise } from './tokenise.ts';
