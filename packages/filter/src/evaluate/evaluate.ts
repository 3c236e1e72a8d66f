import type { Comparison, Field, FieldType, FilterNode, Scalar } from '../language/ast.ts';
import type { Filter } from '../language/filter.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../language/json.ts';
import { compareCodePoints, fold, matchesLike } from './text.ts';

/**
 * The fields of a document that filters compare. Times are RFC 3339 UTC strings and are compared as strings, so all
 * records must have the same number of digits in them.
 */
export type FilterRecord = {
  readonly fileName: string;
  readonly mimeType: string;
  readonly language: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly metadata: JsonObject;
};

/**
 * Reports whether a record satisfies a filter: true or false, never unknown. This is the definition of the language. SQL
 * must give the same result for every filter and record.
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
  // The field itself, not an element: `["hr", null]` must not pass for "not set".
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

/**
 * Returns a field's value, or undefined if it is absent. A path goes through objects only. A path through an array, a scalar
 * or a missing key is absent, and so is a key that contains a dot.
 */
function fieldValue(record: FilterRecord, field: Field): JsonValue | undefined {
  if (field.source === 'document') return record[field.name];
  let value: JsonValue | undefined = record.metadata;
  for (const key of field.path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Returns the name that `tp` has for the type of a field's value. */
export function fieldType(value: JsonValue | undefined): FieldType {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return isJsonObject(value) ? 'object' : 'array';
}

/**
 * Reports whether the file name or a string in the metadata contains a text, ignoring letter case. Searches values at any
 * depth, in objects and arrays, but no keys.
 */
function foundInRecord(record: FilterRecord, text: string): boolean {
  const wanted = fold(text);
  // Not recursive, because metadata may be nested deeper than the stack.
  const pending: JsonValue[] = [record.fileName, record.metadata];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') {
      if (fold(value).includes(wanted)) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const part of Object.values(value)) pending.push(part);
    }
  }
  return false;
}
