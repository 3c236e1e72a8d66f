export { type CompiledFilter, compile } from './compiled/compile.ts';
export type { StoredRecord } from './compiled/current-document.ts';
export { type EvaluationSteps, evaluateInSteps } from './compiled/in-steps.ts';
export { actualValue } from './evaluate/actual.ts';
export { evaluate } from './evaluate/evaluate.ts';
export type { FilterRecord } from './evaluate/record.ts';
export { fold } from './evaluate/text.ts';
export type {
  Comparison,
  DocumentField,
  Field,
  FieldType,
  FilterNode,
  Operator,
  Scalar,
} from './language/ast.ts';
export { connectives, documentFields, fieldTypes, operators } from './language/ast.ts';
export { all, type Filter, fieldName, matchAll, print } from './language/filter.ts';
export type { JsonObject, JsonValue } from './language/json.ts';
export { limits } from './language/limits.ts';
export { type ParseResult, parse } from './language/parse.ts';
export type { FilterProblem } from './language/parse-state.ts';
export { type Predicate, predicatesOf } from './language/predicates.ts';
export { matchesEverything } from './language/trivial.ts';
