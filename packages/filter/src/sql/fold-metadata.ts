import { fold } from '../fold.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/**
 * A copy of a document's metadata with each string folded, and each key as it is: what a store keeps as
 * `metadata_folded`.
 *
 * @throws {RangeError} when it is nested deeper than the stack, which is beyond the 1,000 of SQLite's JSON.
 */
export function foldMetadata(metadata: JsonObject): JsonObject {
  // `fromEntries` makes `__proto__` a key like any other.
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, foldValue(value)]),
  );
}

function foldValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return fold(value);
  if (isJsonObject(value)) return foldMetadata(value);
  return Array.isArray(value) ? value.map(foldValue) : value;
}
