import { type Comparison, connectives, type Field, type Operator, operators } from './ast.ts';
import { describe } from './describe.ts';
import { isPlainObject } from './json.ts';
import { nearestName } from './nearest-name.ts';
import { memberPath } from './problem-path.ts';
import { readField } from './read-field.ts';
import { readOperator } from './read-operator.ts';
import type { Reading } from './reading.ts';

/** What other languages write for an operator, where spelling alone would not lead to ours. */
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

/** Stands for a field whose name was refused; no filter that holds it is ever given out. */
const refusedField: Field = { source: 'metadata', path: [] };

/** Reads a field and its predicate: a comparison for each operator, all of which must hold. */
export function readPredicate(
  reading: Reading,
  name: string,
  predicate: unknown,
  path: string,
  depth: number,
): readonly Comparison[] {
  const field = readField(reading, name, path);
  const tests = operatorsOf(reading, name, predicate, path);
  const comparisons: Comparison[] = [];
  for (const [key, operand] of tests) {
    if (!reading.enter(path, depth)) break;
    const operatorPath = predicate === null ? path : memberPath(path, key);
    if (!isOperator(key)) {
      reading.refuse(operatorPath, unknownOperator(key));
      continue;
    }
    // A refused name still has its operands read, so that all problems are named at once.
    const comparison = readOperator(reading, field ?? refusedField, key, operand, operatorPath);
    if (comparison !== undefined) comparisons.push(comparison);
  }
  return comparisons;
}

/** How many comparisons a predicate will become, without reading them. */
export function predicateSize(predicate: unknown): number {
  return isPlainObject(predicate) ? Object.keys(predicate).length : 1;
}

function isOperator(key: string): key is Operator {
  return operators.some((known) => known === key);
}

function operatorsOf(
  reading: Reading,
  name: string,
  predicate: unknown,
  path: string,
): readonly (readonly [string, unknown])[] {
  if (predicate === null) return [['eq', null]];
  if (!isPlainObject(predicate)) {
    reading.refuse(path, notAPredicate(name, predicate));
    return [];
  }
  const tests = Object.entries(predicate);
  if (tests.length === 0) {
    // As a conjunction of nothing it would match every record, which no author of a field means.
    reading.refuse(path, `must name an operator: ${operators.join(', ')}`);
  }
  if (name === 'fields' && tests.some(([key, value]) => !isOperator(key) && isPlainObject(value))) {
    reading.refuse(path, 'is not a wrapper; write the field names at the top level of the filter');
    return [];
  }
  return tests;
}

function notAPredicate(name: string, predicate: unknown): string {
  const near = nearestName(name, connectives);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return `must be an object of operators such as {"eq": …}, not ${describe(predicate)}${hint}`;
}

function unknownOperator(key: string): string {
  const near = elsewhere.get(key.toLowerCase()) ?? nearestName(key, operators);
  const hint = near === undefined ? `known are ${operators.join(', ')}` : `did you mean "${near}"?`;
  return `is not an operator; ${hint}`;
}
