import type { Comparison, FilterNode, Scalar } from './ast.ts';
import { compareCodePoints } from './code-point-order.ts';
import type { Filter } from './filter.ts';
import type { JsonValue } from './json.ts';
import { matchesLike } from './like.ts';
import { type FilterRecord, fieldType, fieldValue } from './record.ts';
import { foundInRecord } from './search.ts';

/**
 * Whether a record satisfies a filter. This is the definition of the language: every engine that turns a
 * filter into SQL must give the same answer for every filter and record. True or false, never unknown.
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
      return foundInRecord(record, node.text);
    default:
      return compare(node, fieldValue(record, node.field));
  }
}

function compare(comparison: Comparison, value: JsonValue | undefined): boolean {
  switch (comparison.kind) {
    case 'eq':
      return isEqual(value, comparison.value);
    case 'ne':
      return !isEqual(value, comparison.value);
    case 'in':
      return comparison.values.some((one) => isEqual(value, one));
    case 'gt':
      return ordered(value, comparison.value, (order) => order > 0);
    case 'gte':
      return ordered(value, comparison.value, (order) => order >= 0);
    case 'lt':
      return ordered(value, comparison.value, (order) => order < 0);
    case 'lte':
      return ordered(value, comparison.value, (order) => order <= 0);
    case 'like':
      return typeof value === 'string' && matchesLike(value, comparison.pattern);
    case 'tp':
      return fieldType(value) === comparison.type;
  }
}

function isEqual(value: JsonValue | undefined, operand: Scalar): boolean {
  // The field itself, not an element: `["hr", null]` must not pass for "nothing is set here".
  if (operand === null) return value === null || value === undefined;
  return Array.isArray(value) ? value.includes(operand) : value === operand;
}

function ordered(
  value: JsonValue | undefined,
  operand: number | string,
  accepts: (order: number) => boolean,
): boolean {
  if (typeof value === 'number' && typeof operand === 'number') {
    return accepts(value < operand ? -1 : value > operand ? 1 : 0);
  }
  if (typeof value === 'string' && typeof operand === 'string') {
    return accepts(compareCodePoints(value, operand));
  }
  return false;
}
