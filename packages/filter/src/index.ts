export type {
  Comparison,
  DocumentField,
  Field,
  FieldType,
  FilterNode,
  Operator,
  Scalar,
} from './ast.ts';
export { connectives, documentFields, fieldTypes, operators } from './ast.ts';
export { all, matchAll } from './combine.ts';
export { evaluate } from './evaluate.ts';
export type { Filter } from './filter.ts';
export { fold } from './fold.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { limits } from './limits.ts';
export { type ParseResult, parse } from './parse.ts';
export { fieldName, print } from './print.ts';
export type { FilterProblem } from './reading.ts';
export type { FilterRecord } from './record.ts';
