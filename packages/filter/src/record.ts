import type { Field, FieldType } from './ast.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/**
 * What a filter looks at. Times are RFC 3339 UTC strings and are compared as strings, so all records must
 * write them in one form, with the same number of digits.
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
 * A field's value, or undefined when it is absent. A path goes through objects only: through an array, a
 * scalar or a key that is not there it ends absent, and a key that has a dot in it is never reached.
 */
export function fieldValue(record: FilterRecord, field: Field): JsonValue | undefined {
  if (field.source === 'document') return record[field.name];
  let value: JsonValue | undefined = record.metadata;
  for (const key of field.path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The JSON type of a field's value, as `tp` names it. */
export function fieldType(value: JsonValue | undefined): FieldType {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return isJsonObject(value) ? 'object' : 'array';
}
