import { compareCodePoints, fold } from '../evaluate/text.ts';
import type { Comparison, FilterNode, Scalar } from '../language/ast.ts';
import { CurrentDocument, type FieldOfDocument, type StoredRecord } from './current-document.ts';
import type { FieldValues } from './field-values.ts';
import { likePattern } from './like-pattern.ts';
import { WorkMeter } from './work-meter.ts';

/** Reports whether a stored document satisfies a filter. */
export type CompiledFilter = (record: StoredRecord) => boolean;

/** A compiled part of a filter. Tests the current document. */
export type Test = () => boolean;

/**
 * Compiles a filter for use on many documents. The result agrees with `evaluate`. For each document, the metadata is parsed at most once,
 * and each string that an operator reads is folded once, regardless of the number of operators.
 *
 * @param checkTime called regularly during long comparisons. Throws to stop an evaluation that takes too long.
 * @example
 *   const accepts = compile(filter);
 *   const found = rows.filter((row) => accepts(row));
 */
export function compile(
  filter: FilterNode,
  checkTime: () => void = () => undefined,
): CompiledFilter {
  const document = new CurrentDocument(new WorkMeter(checkTime));
  const test = compileNode(filter, document);
  return (record) => {
    document.set(record);
    return test();
  };
}

export function compileNode(node: FilterNode, document: CurrentDocument): Test {
  switch (node.kind) {
    case 'and': {
      const tests = node.members.map((member) => compileNode(member, document));
      return () => tests.every((test) => test());
    }
    case 'or': {
      const tests = node.members.map((member) => compileNode(member, document));
      return () => tests.some((test) => test());
    }
    case 'not': {
      const test = compileNode(node.member, document);
      return () => !test();
    }
    case 'search': {
      const at = document.searchTexts.add(fold(node.text));
      return () => document.searchTexts.isIn(document.strings, at);
    }
    default:
      return compileComparison(node, document.field(node.field), document.meter);
  }
}

function compileComparison(
  comparison: Comparison,
  { values, current: field }: FieldOfDocument,
  meter: WorkMeter,
): Test {
  switch (comparison.kind) {
    case 'eq':
      return isAmong(field, [comparison.value]);
    case 'ne': {
      const isEqual = isAmong(field, [comparison.value]);
      return () => !isEqual();
    }
    case 'in':
      return isAmong(field, comparison.values);
    case 'gt':
      return isOrdered(field, 'largest', comparison.value, (order) => order > 0);
    case 'gte':
      return isOrdered(field, 'largest', comparison.value, (order) => order >= 0);
    case 'lt':
      return isOrdered(field, 'smallest', comparison.value, (order) => order < 0);
    case 'lte':
      return isOrdered(field, 'smallest', comparison.value, (order) => order <= 0);
    case 'like':
      return isLike(values, field, comparison.pattern, meter);
    case 'tp': {
      const { type } = comparison;
      return () => field().hasType(type);
    }
  }
}

function isAmong(field: () => FieldValues, operands: readonly Scalar[]): Test {
  const scalars = [...new Set(operands)].filter((operand) => operand !== null);
  const matchesNull = operands.includes(null);
  return () => {
    const values = field();
    if (matchesNull && values.isNullOrAbsent) return true;
    return scalars.some((scalar) => values.scalars.has(scalar));
  };
}

/** Compares only the smallest or the largest value: if any value is greater than the operand, so is the largest value. */
function isOrdered(
  field: () => FieldValues,
  extreme: 'smallest' | 'largest',
  operand: number | string,
  accepts: (order: number) => boolean,
): Test {
  if (typeof operand === 'number')
    return () => {
      const value = field()[extreme].number;
      return value !== undefined && accepts(value < operand ? -1 : value > operand ? 1 : 0);
    };
  return () => {
    const value = field()[extreme].string;
    return value !== undefined && accepts(compareCodePoints(value, operand));
  };
}

/** Strings with at least this total length are searched for the literals of all patterns at once. */
const LONG_TEXT = 256;

function isLike(
  values: FieldValues,
  field: () => FieldValues,
  pattern: string,
  meter: WorkMeter,
): Test {
  const like = likePattern(pattern, meter);
  const literal = values.literals.add(like.literal);
  return () => {
    const { folded } = field();
    const [only] = folded;
    if (only === undefined) return false;
    if (folded.length === 1 && only.length < LONG_TEXT) return like.matches(only);
    return values.literals.isIn(values.foldedText, literal) && folded.some(like.matches);
  };
}
