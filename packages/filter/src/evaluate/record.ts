import type { Field, FieldType } from '../language/ast.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../language/json.ts';

/**
 * The fields of a document that a filter can use. Times are RFC 3339 UTC strings that are compared as strings, so
 * all records must use the same number of fractional digits.
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
 * The value of a field. A field is `single` if its path leads only through objects. The value is `undefined` if the
 * field is absent. A field is `collected` if its path leads through at least one array. The values are then all values
 * found on the path, in any order.
 */
export type FieldValue =
  | { readonly kind: 'single'; readonly value: JsonValue | undefined }
  | { readonly kind: 'collected'; readonly values: readonly JsonValue[] };

/** Returns the value of a field. Visits each part of the metadata at most once. */
export function fieldValue(record: FilterRecord, field: Field): FieldValue {
  if (field.source === 'document') return { kind: 'single', value: record[field.name] };
  let value: JsonValue | undefined = record.metadata;
  for (const [at, key] of field.path.entries()) {
    if (Array.isArray(value)) return { kind: 'collected', values: collect(value, field.path, at) };
    value = memberOf(value, key);
  }
  return { kind: 'single', value };
}

/** Returns the values that a scalar operand is compared with: the elements of an array, or the value itself. */
export function comparedValues(field: FieldValue): readonly JsonValue[] {
  if (field.kind === 'collected') return field.values;
  return field.value === undefined ? [] : elementsOf(field.value);
}

/** Returns the elements of an array, or the value itself. Does not read arrays inside the array. */
export function elementsOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}

/** Returns the objects in an array, and in arrays inside the array. Not recursive, because nesting can be deep. */
export function objectsIn(array: readonly JsonValue[]): readonly JsonObject[] {
  const objects: JsonObject[] = [];
  const pending: (readonly JsonValue[])[] = [array];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const element of next) {
      if (Array.isArray(element)) pending.push(element);
      else if (isJsonObject(element)) objects.push(element);
    }
  }
  return objects;
}

/** Returns the type of a value: one of the operands of `tp`. */
export function typeOf(value: JsonValue | undefined): FieldType {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return isJsonObject(value) ? 'object' : 'array';
}

/** Returns the values at the path `path.slice(first)` in all objects of an array. */
function collect(
  array: readonly JsonValue[],
  path: readonly string[],
  first: number,
): readonly JsonValue[] {
  let found: readonly JsonValue[] = array;
  for (const key of path.slice(first)) {
    const members: JsonValue[] = [];
    for (const object of objectsIn(found)) {
      const member = memberOf(object, key);
      if (member !== undefined) members.push(member);
    }
    found = members;
  }
  return found.flatMap(elementsOf);
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
