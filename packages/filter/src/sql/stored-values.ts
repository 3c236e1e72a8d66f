import { hash } from 'node:crypto';
import { fold } from '../evaluate/text.ts';
import type { Scalar } from '../language/ast.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../language/json.ts';
import { isTooLong, limits } from '../language/limits.ts';

/**
 * Returns a copy of a document's metadata with each string folded and each key unchanged, for the column
 * `metadata_folded`.
 *
 * @throws {RangeError} if it is nested deeper than the stack, which is beyond the 1,000 of SQLite's JSON.
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

/** A row of the table of values: a scalar, and the dotted name by which a filter finds it. */
export interface IndexedValue {
  readonly path: string;
  readonly value: string;
}

/**
 * Returns the distinct rows of a document's metadata in the table of values: the scalars at each path that a filter can
 * name, and the scalars of arrays there. Leaves out nulls, strings that are too long for an operand, keys that are empty
 * or contain a dot, and paths over the limits of a name.
 *
 * Both members are at most 900 bytes in UTF-8, so that a row fits into a key of PostgreSQL.
 */
export function indexedValues(metadata: JsonObject): readonly IndexedValue[] {
  return Array.from(valuesBelow(metadata, []));
}

/** Returns a path in the form of the table of values. */
export function indexedPath(path: readonly string[]): string {
  // No path begins with a dot.
  return short(path.join('.'), '.');
}

/** Returns a scalar in the form of the table of values: its JSON, which distinguishes `"1"`, `1` and `true`. */
export function indexedScalar(scalar: Scalar): string {
  // No JSON begins with a number sign.
  return short(JSON.stringify(scalar), '#');
}

function* valuesBelow(
  object: JsonObject,
  above: readonly string[],
): Generator<IndexedValue, void, undefined> {
  if (above.length === limits.depth) return;
  for (const [key, value] of Object.entries(object)) {
    const path = [...above, key];
    if (key === '' || key.includes('.') || isTooLong(path.join('.'))) continue;
    if (isJsonObject(value)) yield* valuesBelow(value, path);
    else yield* valuesAt(path, Array.isArray(value) ? value : [value]);
  }
}

function* valuesAt(path: readonly string[], elements: readonly JsonValue[]) {
  for (const value of new Set(elements.filter(isIndexed).map(indexedScalar))) {
    yield { path: indexedPath(path), value };
  }
}

function isIndexed(value: JsonValue): value is Scalar {
  if (typeof value === 'string') return !isTooLong(value);
  return typeof value === 'number' || typeof value === 'boolean';
}

/** A UTF-16 unit has at most three bytes in UTF-8. */
const longest = 300;

function short(text: string, mark: string): string {
  return text.length <= longest ? text : mark + hash('sha256', text, 'hex');
}
