import type { FilterRecord } from '../src/evaluate/record.ts';
import { matchesLike } from '../src/evaluate/text.ts';
import type { Comparison, FilterNode, Scalar } from '../src/language/ast.ts';
import type { JsonValue } from '../src/language/json.ts';

/**
 * A second evaluation of filters, written from the contract and independent of `evaluate`: short, recursive and slow.
 * `search` and the text functions have their own tests.
 */
export function contractHolds(node: FilterNode, record: FilterRecord): boolean {
  switch (node.kind) {
    case 'and':
      return node.members.every((member) => contractHolds(member, record));
    case 'or':
      return node.members.some((member) => contractHolds(member, record));
    case 'not':
      return !contractHolds(node.member, record);
    case 'search':
      return [record.fileName, ...stringsIn(record.metadata)].some((text) =>
        text.toLowerCase().includes(node.text.toLowerCase()),
      );
    default:
      return comparisonHolds(node, record);
  }
}

function comparisonHolds(node: Comparison, record: FilterRecord): boolean {
  const { field } = node;
  const read =
    field.source === 'document'
      ? { direct: record[field.name], found: [record[field.name]], throughArray: false }
      : {
          direct: directValue(record.metadata, field.path),
          found: valuesFound(record.metadata, field.path),
          throughArray: leadsThroughArray(record.metadata, field.path),
        };
  const isNull = read.throughArray
    ? read.found.length === 0
    : read.direct === null || read.direct === undefined;
  const equals = (scalar: Scalar) =>
    scalar === null ? isNull : read.found.some((value) => value === scalar);
  switch (node.kind) {
    case 'eq':
      return equals(node.value);
    case 'ne':
      return !equals(node.value);
    case 'in':
      return node.values.some(equals);
    case 'like':
      return read.found.some(
        (value) => typeof value === 'string' && matchesLike(value, node.pattern),
      );
    case 'tp':
      if (!read.throughArray) return jsonType(read.direct) === node.type;
      return node.type === 'absent'
        ? read.found.length === 0
        : read.found.some((value) => jsonType(value) === node.type);
    default:
      return read.found.some((value) => isInOrder(node.kind, value, node.value));
  }
}

function isInOrder(sign: 'gt' | 'gte' | 'lt' | 'lte', value: JsonValue, operand: JsonValue) {
  const order =
    typeof value === 'string' && typeof operand === 'string'
      ? Buffer.compare(Buffer.from(value), Buffer.from(operand))
      : typeof value === 'number' && typeof operand === 'number'
        ? Number(value > operand) - Number(value < operand)
        : Number.NaN;
  return { gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[sign];
}

/** Collects the values from all elements of all arrays on the path. An array at the end contributes its elements. */
function valuesFound(value: JsonValue, [key, ...rest]: readonly string[]): JsonValue[] {
  if (key === undefined) return Array.isArray(value) ? value : [value];
  if (Array.isArray(value)) return value.flatMap((element) => valuesFound(element, [key, ...rest]));
  const member = memberOf(value, key);
  return member === undefined ? [] : valuesFound(member, rest);
}

function leadsThroughArray(value: JsonValue, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return false;
  const member = memberOf(value, key);
  return Array.isArray(value) || (member !== undefined && leadsThroughArray(member, rest));
}

function directValue(value: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (at, key) => (at === undefined ? undefined : memberOf(at, key)),
    value,
  );
}

function memberOf(value: JsonValue, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value)).get(key);
}

function stringsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((part) => stringsIn(part))
    : [];
}

function jsonType(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
