export { type SqlFragment, withNumbers, withQuestionMarks } from './fragment.ts';
export { indexedPart } from './indexed-part.ts';
export type { SqlLayout, ValuesLayout } from './layout.ts';
export { narrowing, type ValueLookup } from './narrowing.ts';
export { toPostgres } from './postgres.ts';
export { toSqlite } from './sqlite.ts';
export { collectedValues, foldMetadata, indexedValues } from './stored-values.ts';
