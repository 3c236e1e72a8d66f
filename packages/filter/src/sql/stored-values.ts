import { hash } from 'node:crypto';
import { elementsOf, objectsIn } from '../evaluate/record.ts';
import { fold } from '../evaluate/text.ts';
import type { Scalar } from '../language/ast.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../language/json.ts';
import { isTooLong, limits } from '../language/limits.ts';

/**
 * Returns a copy of the metadata with all strings folded and all keys unchanged, for the column `metadata_folded`.
 *
 * @throws {RangeError} if the nesting overflows the stack. SQLite's own limit of 1,000 levels is lower.
 */
export function foldMetadata(metadata: JsonObject): JsonObject {
  // `fromEntries` creates an own property, even for `__proto__`.
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, foldValue(value)]),
  );
}

function foldValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return fold(value);
  if (isJsonObject(value)) return foldMetadata(value);
  return Array.isArray(value) ? value.map(foldValue) : value;
}

/** Members of the result of `collectedValues`. No field has these names, because names in a path contain no dot. */
export const collectedKeys = { values: '.', folded: '.folded' } as const;

/**
 * Returns the values that paths through arrays find, for the column `metadata_collected`. Returns `null` if there are
 * none. The result contains nested objects, with one level per key of a path. At the end of a path, the member `.` has
 * the distinct values, and the member `.folded` the folded strings among these values. Objects and arrays are stored as
 * `{}` and `[]`, because filters test only their type.
 *
 * @example
 *   collectedValues({ acl: [{ group: 'Staff' }, { group: 'board' }] });
 *   // { acl: { group: { '.': ['Staff', 'board'], '.folded': ['staff', 'board'] } } }
 */
export function collectedValues(metadata: JsonObject): JsonObject | null {
  const root = new CollectedNode();
  visitFields(metadata, (path, value, isThroughArray) => {
    if (isThroughArray) root.at(path).add(value);
  });
  return root.toJson();
}

class CollectedNode {
  readonly #members = new Map<string, CollectedNode>();
  readonly #scalars = new Set<Scalar>();
  #hasObject = false;
  #hasArray = false;

  at(path: readonly string[]): CollectedNode {
    let node: CollectedNode = this;
    for (const key of path) {
      let member = node.#members.get(key);
      if (member === undefined) {
        member = new CollectedNode();
        node.#members.set(key, member);
      }
      node = member;
    }
    return node;
  }

  /** Adds a value at the end of a path. An array contributes its elements. */
  add(value: JsonValue): void {
    for (const element of elementsOf(value)) {
      if (isJsonObject(element)) this.#hasObject = true;
      else if (isScalar(element)) this.#scalars.add(element);
      else this.#hasArray = true;
    }
  }

  /** Returns `null` if neither this node nor a node below has a value. */
  toJson(): JsonObject | null {
    const entries: [string, JsonValue][] = [];
    const values: JsonValue[] = [...this.#scalars];
    if (this.#hasObject) values.push({});
    if (this.#hasArray) values.push([]);
    if (values.length > 0) entries.push([collectedKeys.values, values]);
    const strings = values.filter((value) => typeof value === 'string');
    if (strings.length > 0) entries.push([collectedKeys.folded, [...new Set(strings.map(fold))]]);
    for (const [key, member] of this.#members) {
      const json = member.toJson();
      if (json !== null) entries.push([key, json]);
    }
    return entries.length === 0 ? null : Object.fromEntries(entries);
  }
}

/** A row of the values table: a scalar and its dotted field name. */
export interface IndexedValue {
  readonly path: string;
  readonly value: string;
}

/**
 * Returns the distinct rows of the values table for a document's metadata. Each row contains a scalar that `eq` finds at
 * a path: the value, an element of an array, or a value on a path through arrays. Omits nulls, strings over the length
 * limit of operands, keys that are empty or contain a dot, and paths over the limits of field names.
 *
 * Paths and values are at most 900 bytes in UTF-8, so that a row fits into a PostgreSQL index.
 */
export function indexedValues(metadata: JsonObject): readonly IndexedValue[] {
  const valuesByPath = new Map<string, Set<string>>();
  visitFields(metadata, (path, value) => {
    const scalars = elementsOf(value).filter(isIndexed).map(indexedScalar);
    if (scalars.length === 0) return;
    const name = indexedPath(path);
    const values = valuesByPath.get(name) ?? new Set();
    valuesByPath.set(name, values);
    for (const scalar of scalars) values.add(scalar);
  });
  return Array.from(valuesByPath, ([path, values]) =>
    Array.from(values, (value) => ({ path, value })),
  ).flat();
}

export function indexedPath(path: readonly string[]): string {
  // A leading dot marks a hash, because no path starts with a dot.
  return hashIfLong(path.join('.'), '.');
}

/** Returns a scalar as stored in the values table: as JSON, which distinguishes `"1"`, `1` and `true`. */
export function indexedScalar(scalar: Scalar): string {
  // A leading `#` marks a hash, because no JSON starts with `#`.
  return hashIfLong(JSON.stringify(scalar), '#');
}

type Visit = (path: readonly string[], value: JsonValue, isThroughArray: boolean) => void;

/**
 * Visits every member of the metadata that a filter can name. A member inside an array of objects has the path without
 * the position in the array. A path can therefore be visited several times.
 */
function visitFields(metadata: JsonObject, visit: Visit): void {
  visitMembers(metadata, [], false, visit);
}

function visitMembers(
  object: JsonObject,
  above: readonly string[],
  isThroughArray: boolean,
  visit: Visit,
): void {
  if (above.length === limits.depth) return;
  for (const [key, value] of Object.entries(object)) {
    const path = [...above, key];
    if (key === '' || key.includes('.') || isTooLong(path.join('.'))) continue;
    visit(path, value, isThroughArray);
    if (isJsonObject(value)) visitMembers(value, path, isThroughArray, visit);
    else if (Array.isArray(value))
      for (const element of objectsIn(value)) visitMembers(element, path, true, visit);
  }
}

function isScalar(value: JsonValue): value is Scalar {
  return typeof value !== 'object' || value === null;
}

function isIndexed(value: JsonValue): value is Scalar {
  if (typeof value === 'string') return !isTooLong(value);
  return typeof value === 'number' || typeof value === 'boolean';
}

/** Maximum length of an unhashed string in UTF-16 code units. Each unit takes at most three bytes in UTF-8. */
const maxUnhashedLength = 300;

function hashIfLong(text: string, prefix: string): string {
  return text.length <= maxUnhashedLength ? text : prefix + hash('sha256', text, 'hex');
}
