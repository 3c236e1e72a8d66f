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

/** Operators of other query languages and their equivalents. Lists only operators that `nearestName` cannot resolve. */
const operatorAliases: ReadonlyMap<string, Operator> = new Map([
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

/** Names that top-level metadata keys must not have, because they have another meaning in a filter. */
const reserved: ReadonlySet<string> = new Set([...connectives, ...documentFields]);

/** A placeholder for a field with an invalid name. No returned filter contains it. */
const invalidField: Field = { source: 'metadata', path: [] };

/**
 * Parses a field and its predicate. Returns one comparison per operator. The predicate holds if all comparisons hold.
 */
export function parsePredicate(
  state: ParseState,
  name: string,
  predicate: unknown,
  path: string,
  depth: number,
): readonly Comparison[] {
  const field = parseField(state, name, path);
  const tests = operatorsOf(state, name, predicate, path);
  const comparisons: Comparison[] = [];
  for (const [key, operand] of tests) {
    if (!state.enter(path, depth)) break;
    const operatorPath = predicate === null ? path : memberPath(path, key);
    if (!isOperator(key)) {
      state.addProblem(operatorPath, operatorProblem(key));
      continue;
    }
    // Parse the operand even if the name is invalid, to report all problems at once.
    const comparison = parseOperator(state, field ?? invalidField, key, operand, operatorPath);
    if (comparison !== undefined) comparisons.push(comparison);
  }
  return comparisons;
}

export function predicateSize(predicate: unknown): number {
  return isPlainObject(predicate) ? Object.keys(predicate).length : 1;
}

/** Parses the name of a document field, or a dotted path into the metadata. */
function parseField(state: ParseState, name: string, path: string): Field | undefined {
  const documentField = documentFields.find((known) => known === name);
  if (documentField !== undefined) return { source: 'document', name: documentField };
  const problem = nameProblem(name);
  if (problem !== undefined) return state.addProblem(path, problem);
  return { source: 'metadata', path: name.split('.') };
}

function nameProblem(name: string): string | undefined {
  if (name === '') return 'the field name must not be empty';
  const problem = textProblem(name);
  if (problem !== undefined) return `the field name ${problem}`;
  const keys = name.split('.');
  if (keys.includes('')) return 'the field name must have a key before and after each dot';
  if (keys.length > limits.depth) return `the field name must have at most ${limits.depth} keys`;
  if (reserved.has(keys[0] ?? '')) {
    return `the field name must not start with "${keys[0]}.", because "${keys[0]}" cannot be a metadata key`;
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
    state.addProblem(path, predicateProblem(name, predicate));
    return [];
  }
  const tests = Object.entries(predicate);
  if (tests.length === 0) {
    // An empty conjunction would match every record, which is never intended.
    state.addProblem(path, `must contain at least one operator: ${operators.join(', ')}`);
  }
  if (name === 'fields' && tests.some(([key, value]) => !isOperator(key) && isPlainObject(value))) {
    state.addProblem(
      path,
      'is not supported as a wrapper; move its members to the top level of the filter',
    );
    return [];
  }
  return tests;
}

function predicateProblem(name: string, predicate: unknown): string {
  const hint = didYouMean(nearestName(name, connectives));
  const example = Array.isArray(predicate) ? 'in' : 'eq';
  return `must be an object of operators such as {"${example}": …}, not ${describe(predicate)}${hint}`;
}

function operatorProblem(key: string): string {
  const near = operatorAliases.get(key.toLowerCase()) ?? nearestName(key, operators);
  const hint = near === undefined ? `; use one of ${operators.join(', ')}` : didYouMean(near);
  return `unknown operator${hint}`;
}

/** Parses the operand of an operator. Returns `undefined` after adding a problem if the operand is invalid. */
function parseOperator(
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
        ? state.addProblem(
            path,
            'must be a single value, not an array; use "in" to match any of several values',
          )
        : parseScalar(state, operand, path);
      return value === undefined ? undefined : { kind: operator, field, value };
    }
    case 'in': {
      const values = parseValues(state, operand, path);
      return values === undefined ? undefined : { kind: operator, field, values };
    }
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      const value = parseOrdered(state, operand, path);
      return value === undefined ? undefined : { kind: operator, field, value };
    }
    case 'like': {
      const pattern = parsePattern(state, operand, path);
      return pattern === undefined ? undefined : { kind: operator, field, pattern };
    }
    case 'tp': {
      const type = fieldTypes.find((known) => known === operand);
      return type === undefined
        ? addTypeProblem(state, operand, path)
        : { kind: operator, field, type };
    }
  }
}

/** Parses a string that must be well-formed, without U+0000 and within the length limit. */
export function parseText(state: ParseState, value: unknown, path: string): string | undefined {
  if (typeof value !== 'string') return state.mismatch(path, 'a string', value);
  const problem = textProblem(value);
  return problem === undefined ? value : state.addProblem(path, problem);
}

function parseScalar(state: ParseState, operand: unknown, path: string): Scalar | undefined {
  if (operand === null || typeof operand === 'boolean') return operand;
  if (typeof operand === 'string') return parseText(state, operand, path);
  if (typeof operand === 'number') return parseNumber(state, operand, path);
  return state.mismatch(path, 'a string, number, boolean or null', operand);
}

function parseOrdered(
  state: ParseState,
  operand: unknown,
  path: string,
): number | string | undefined {
  if (typeof operand === 'string') return parseText(state, operand, path);
  if (typeof operand === 'number') return parseNumber(state, operand, path);
  return state.mismatch(path, 'a number or a string', operand);
}

function parseNumber(state: ParseState, operand: number, path: string): number | undefined {
  if (!Number.isFinite(operand)) {
    return state.addProblem(path, 'must be a number within the range of an IEEE 754 double');
  }
  // Normalize -0, so that equal numbers have the same parsed form.
  return operand === 0 ? 0 : operand;
}

function parseValues(
  state: ParseState,
  operand: unknown,
  path: string,
): readonly Scalar[] | undefined {
  if (!Array.isArray(operand)) return state.mismatch(path, 'an array of values', operand);
  if (operand.length > limits.values) {
    return state.addProblem(path, `must have at most ${limits.values} values`);
  }
  const values: Scalar[] = [];
  for (let index = 0; index < operand.length && !state.stopped; index += 1) {
    const value = parseScalar(state, operand[index], elementPath(path, index));
    if (value !== undefined) values.push(value);
  }
  return values;
}

function parsePattern(state: ParseState, operand: unknown, path: string): string | undefined {
  const pattern = parseText(state, operand, path);
  if (pattern !== undefined && endsInsideEscape(pattern)) {
    return state.addProblem(
      path,
      'must not end with a single "\\"; write "\\\\" for a literal backslash',
    );
  }
  return pattern;
}

function addTypeProblem(state: ParseState, operand: unknown, path: string): undefined {
  const hint = typeof operand === 'string' ? didYouMean(nearestName(operand, fieldTypes)) : '';
  return state.addProblem(path, `must be one of ${fieldTypes.join(', ')}${hint}`);
}

/** Reports whether a pattern ends with an incomplete escape. */
function endsInsideEscape(pattern: string): boolean {
  let escaped = false;
  for (const character of pattern) escaped = character === '\\' && !escaped;
  return escaped;
}

function didYouMean(near: string | undefined): string {
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}
