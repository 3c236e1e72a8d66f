import { hash } from 'node:crypto';
import type { Scalar } from '../ast.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { limits } from '../limits.ts';
import { isTooLong } from '../text.ts';

/** A row of the table of values: a scalar, and the dotted name by which a filter finds it. */
export interface IndexedValue {
  readonly path: string;
  readonly value: string;
}

/**
 * What a document's metadata adds to the table of values, each row once: the scalars at each path that a
 * filter can name, and those in an array at such a path. Left out are nulls, strings that are too long for an
 * operand, keys that are empty or hold a dot, and paths over the limits of a name.
 *
 * Both members are at most 900 bytes in UTF-8, so that a row fits into a key of PostgreSQL.
 */
export function indexedValues(metadata: JsonObject): readonly IndexedValue[] {
  return Array.from(valuesBelow(metadata, []));
}

/** A path as the table of values has it. */
export function indexedPath(path: readonly string[]): string {
  // No path begins with a dot.
  return short(path.join('.'), '.');
}

/** A scalar as the table of values has it: its JSON, which tells `"1"`, `1` and `true` apart. */
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
