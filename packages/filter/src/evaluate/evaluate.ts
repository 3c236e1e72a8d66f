import type { Comparison, FieldType, FilterNode, Scalar } from '../language/ast.ts';
import type { Filter } from '../language/filter.ts';
import type { JsonValue } from '../language/json.ts';
import {
  comparedValues,
  type FieldValue,
  type FilterRecord,
  fieldValue,
  typeOf,
} from './record.ts';
import { stringsContaining } from './search.ts';
import { compareCodePoints, likeMatcher } from './text.ts';

/**
 * Reports whether a record satisfies a filter. Unlike in SQL, the result is never NULL. This function defines the
 * language: SQL must return the same result for every filter and record.
 *
 * @example
 *   const result = parse({ department: { in: ['hr', 'legal'] } });
 *   if (result.ok) evaluate(result.filter, record);
 */
export function evaluate(filter: Filter, record: FilterRecord): boolean {
  return holds(filter, record);
}

function holds(node: FilterNode, record: FilterRecord): boolean {
  switch (node.kind) {
    case 'and':
      return node.members.every((member) => holds(member, record));
    case 'or':
      return node.members.some((member) => holds(member, record));
    case 'not':
      return !holds(node.member, record);
    case 'search':
      return !stringsContaining(record, node.text).next().done;
    default:
      return compare(node, fieldValue(record, node.field));
  }
}

function compare(comparison: Comparison, field: FieldValue): boolean {
  switch (comparison.kind) {
    case 'eq':
      return isEqual(field, comparison.value);
    case 'ne':
      return !isEqual(field, comparison.value);
    case 'in':
      return isAmong(field, comparison.values);
    case 'gt':
      return isOrdered(field, comparison.value, (order) => order > 0);
    case 'gte':
      return isOrdered(field, comparison.value, (order) => order >= 0);
    case 'lt':
      return isOrdered(field, comparison.value, (order) => order < 0);
    case 'lte':
      return isOrdered(field, comparison.value, (order) => order <= 0);
    case 'like': {
      const matches = likeMatcher(comparison.pattern);
      return comparedValues(field).some((value) => typeof value === 'string' && matches(value));
    }
    case 'tp':
      return hasType(field, comparison.type);
  }
}

function isEqual(field: FieldValue, operand: Scalar): boolean {
  return operand === null ? isNullOrAbsent(field) : comparedValues(field).includes(operand);
}

function isAmong(field: FieldValue, operands: readonly Scalar[]): boolean {
  const scalars: ReadonlySet<JsonValue> = new Set(operands.filter((operand) => operand !== null));
  return (
    (operands.includes(null) && isNullOrAbsent(field)) ||
    comparedValues(field).some((value) => scalars.has(value))
  );
}

/** An array with a null element is neither null nor absent: `["hr", null]` must not match `eq null`. */
function isNullOrAbsent(field: FieldValue): boolean {
  if (field.kind === 'collected') return field.values.length === 0;
  return field.value === null || field.value === undefined;
}

function isOrdered(
  field: FieldValue,
  operand: number | string,
  accepts: (order: number) => boolean,
): boolean {
  return comparedValues(field).some((value) => {
    if (typeof value === 'number' && typeof operand === 'number')
      return accepts(value < operand ? -1 : value > operand ? 1 : 0);
    if (typeof value === 'string' && typeof operand === 'string')
      return accepts(compareCodePoints(value, operand));
    return false;
  });
}

function hasType(field: FieldValue, type: FieldType): boolean {
  if (field.kind === 'single') return typeOf(field.value) === type;
  if (type === 'absent') return field.values.length === 0;
  return field.values.some((value) => typeOf(value) === type);
}
