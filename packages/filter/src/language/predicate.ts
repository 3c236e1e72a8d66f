import {
  type Comparison,
  connectives,
  documentFields,
  type Field,
  fieldTypes,
  type Operator,
  operators,
  type Scalar,
} from './ast.ts';
import { isPlainObject } from './json.ts';
import { limits, textProblem } from './limits.ts';
import { nearestName } from './nearest-name.ts';
import { describe, elementPath, memberPath, type ParseState } from './parse-state.ts';

/** Operators of other languages that `nearestName` would not find. */
const elsewhere: ReadonlyMap<string, Operator> = new Map([
  ['=', 'eq'],
  ['==', 'eq'],
  ['equals', 'eq'],
  ['!=', 'ne'],
  ['<>', 'ne'],
  ['neq', 'ne'],
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['contains', 'like'],
  ['ilike', 'like'],
  ['type', 'tp'],
]);

/** Names that no top-level metadata key may have, so that each member of a filter has one meaning. */
const reserved: ReadonlySet<string> = new Set([...connectives, ...documentFields]);

/** Replaces a field whose name was refused. No filter that contains it is returned. */
const refusedField: Field = { source: 'metadata', path: [] };

/** Reads a field and its predicate: one comparison per operator, all of which must hold. */
export function readPredicate(
  state: ParseState,
  name: string,
  predicate: unknown,
  path: string,
  depth: number,
): readonly Comparison[] {
  const field = readField(state, name, path);
  const tests = operatorsOf(state, name, predicate, path);
  const comparisons: Comparison[] = [];
  for (const [key, operand] of tests) {
    if (!state.enter(path, depth)) break;
    const operatorPath = predicate === null ? path : memberPath(path, key);
    if (!isOperator(key)) {
      state.refuse(operatorPath, unknownOperator(key));
      continue;
    }
    // The operands of a refused name are read too, to report all problems at once.
    const comparison = readOperator(state, field ?? refusedField, key, operand, operatorPath);
    if (comparison !== undefined) comparisons.push(comparison);
  }
  return comparisons;
}

/** Returns the number of comparisons in a predicate without reading them. */
export function predicateSize(predicate: unknown): number {
  return isPlainObject(predicate) ? Object.keys(predicate).length : 1;
}

/** Reads the name of a document field or a dotted path into the metadata. */
function readField(state: ParseState, name: string, path: string): Field | undefined {
  const documentField = documentFields.find((known) => known === name);
  if (documentField !== undefined) return { source: 'document', name: documentField };
  const problem = nameProblem(name);
  if (problem !== undefined) return state.refuse(path, problem);
  return { source: 'metadata', path: name.split('.') };
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'a field name must not be empty';
  const problem = textProblem(name);
  if (problem !== undefined) return `a field name ${problem}`;
  const keys = name.split('.');
  if (keys.includes('')) return 'a dotted field name must have a key before and after each dot';
  if (keys.length > limits.depth) return `a field name must have at most ${limits.depth} keys`;
  if (reserved.has(keys[0] ?? '')) {
    return `"${keys[0]}" has no members; a dotted name reaches into the metadata`;
  }
  return undefined;
}

function isOperator(key: string): key is Operator {
  return operators.some((known) => known === key);
}

function operatorsOf(
  state: ParseState,
  name: string,
  predicate: unknown,
  path: string,
): readonly (readonly [string, unknown])[] {
  if (predicate === null) return [['eq', null]];
  if (!isPlainObject(predicate)) {
    state.refuse(path, notAPredicate(name, predicate));
    return [];
  }
  const tests = Object.entries(predicate);
  if (tests.length === 0) {
    // An empty conjunction would match every record, which is never intended.
    state.refuse(path, `must name an operator: ${operators.join(', ')}`);
  }
  if (name === 'fields' && tests.some(([key, value]) => !isOperator(key) && isPlainObject(value))) {
    state.refuse(path, 'is not a wrapper; write the field names at the top level of the filter');
    return [];
  }
  return tests;
}

function notAPredicate(name: string, predicate: unknown): string {
  const hint = didYouMean(nearestName(name, connectives));
  return `must be an object of operators such as {"eq": …}, not ${describe(predicate)}${hint}`;
}

function unknownOperator(key: string): string {
  const near = elsewhere.get(key.toLowerCase()) ?? nearestName(key, operators);
  const hint = near === undefined ? `known are ${operators.join(', ')}` : `did you mean "${near}"?`;
  return `is not an operator; ${hint}`;
}

/** Reads one operator's operand; undefined if it is refused. */
function readOperator(
  state: ParseState,
  field: Field,
  operator: Operator,
  operand: unknown,
  path: string,
): Comparison | undefined {
  switch (operator) {
    case 'eq':
    case 'ne': {
      const value = Array.isArray(operand)
        ? state.refuse(path, 'must be one value, not an array; for any of several use "in"')
        : readScalar(state, operand, path);
      return value === undefined ? undefined : { kind: operator, field, value };
    }
    case 'in': {
      const values = readValues(state, operand, path);
      return values === undefined ? undefined : { kind: operator, field, values };
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const value = readOrdered(state, operand, path);
      return value === undefined ? undefined : { kind: operator, field, value };
    }
    case 'like': {
      const pattern = readPattern(state, operand, path);
      return pattern === undefined ? undefined : { kind: operator, field, pattern };
    }
    case 'tp': {
      const type = fieldTypes.find((known) => known === operand);
      return type === undefined
        ? refuseType(state, operand, path)
        : { kind: operator, field, type };
    }
  }
}

/** Reads a string that must be well-formed, without U+0000 and within the limit. */
export function readText(state: ParseState, value: unknown, path: string): string | undefined {
  if (typeof value !== 'string') return state.mismatch(path, 'a string', value);
  const problem = textProblem(value);
  return problem === undefined ? value : state.refuse(path, problem);
}

function readScalar(state: ParseState, operand: unknown, path: string): Scalar | undefined {
  if (operand === null || typeof operand === 'boolean') return operand;
  if (typeof operand === 'string') return readText(state, operand, path);
  if (typeof operand === 'number') return readNumber(state, operand, path);
  return state.mismatch(path, 'a string, number, boolean or null', operand);
}

function readOrdered(
  state: ParseState,
  operand: unknown,
  path: string,
): number | string | undefined {
  if (typeof operand === 'string') return readText(state, operand, path);
  if (typeof operand === 'number') return readNumber(state, operand, path);
  return state.mismatch(path, 'a number or a string', operand);
}

function readNumber(state: ParseState, operand: number, path: string): number | undefined {
  if (!Number.isFinite(operand)) {
    return state.refuse(path, 'must be a number within the range of a double');
  }
  // JSON text can contain -0. One value must have one parsed form.
  return operand === 0 ? 0 : operand;
}

function readValues(
  state: ParseState,
  operand: unknown,
  path: string,
): readonly Scalar[] | undefined {
  if (!Array.isArray(operand)) return state.mismatch(path, 'an array of values', operand);
  if (operand.length > limits.values) {
    return state.refuse(path, `must have at most ${limits.values} values`);
  }
  const values: Scalar[] = [];
  for (let index = 0; index < operand.length && !state.stopped; index += 1) {
    const value = readScalar(state, operand[index], elementPath(path, index));
    if (value !== undefined) values.push(value);
  }
  return values;
}

function readPattern(state: ParseState, operand: unknown, path: string): string | undefined {
  const pattern = readText(state, operand, path);
  if (pattern !== undefined && endsInsideEscape(pattern)) {
    return state.refuse(path, 'must not end in a single "\\"; write "\\\\" for the sign itself');
  }
  return pattern;
}

function refuseType(state: ParseState, operand: unknown, path: string): undefined {
  const hint = typeof operand === 'string' ? didYouMean(nearestName(operand, fieldTypes)) : '';
  return state.refuse(path, `must be one of ${fieldTypes.join(', ')}${hint}`);
}

/** Reports whether no character follows a pattern's last `\`. */
function endsInsideEscape(pattern: string): boolean {
  let escaped = false;
  for (const character of pattern) escaped = character === '\\' && !escaped;
  return escaped;
}

function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : `; did you mean "${near}"?`;
}
