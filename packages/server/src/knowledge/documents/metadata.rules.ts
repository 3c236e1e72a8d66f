import type { Issue } from '@gatehouse/contract';
import {
  connectives,
  documentFields,
  type JsonObject,
  type JsonValue,
  limits,
} from '@gatehouse/filter';
import { shownName } from '../../lib/json/index.ts';

/** The largest metadata as JSON, in UTF-8 bytes. */
export const MAX_METADATA_BYTES = 64 * 1024;
const MAX_ISSUES = 100;
/** As deep as a filter's dotted name reaches. */
const MAX_DEPTH = 32;
/** Neither U+0000 nor a lone surrogate. */
const STORABLE = /^[^\0\uD800-\uDFFF]*$/u;
const RESERVED: ReadonlySet<string> = new Set([...documentFields, ...connectives]);

/** Checks metadata as it was sent: what is wrong, each with its path, or else the typed value. */
export function readMetadata(
  json: unknown,
):
  | { readonly ok: true; readonly metadata: JsonObject }
  | { readonly ok: false; readonly issues: Issue[] } {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return { ok: false, issues: [{ message: 'metadata: must be an object' }] };
  // Before all else, which takes much longer for megabytes.
  const bytes = Buffer.byteLength(JSON.stringify(json));
  if (bytes > MAX_METADATA_BYTES) {
    const problem = `must be at most ${MAX_METADATA_BYTES} bytes of JSON, but is ${bytes}`;
    return { ok: false, issues: [{ message: `metadata: ${problem}` }] };
  }
  const issues: Issue[] = [];
  for (const name of Object.keys(json)) {
    if (RESERVED.has(name))
      issues.push({
        message: `metadata.${name}: is a name that filters use themselves; choose another`,
      });
  }
  check(json, 'metadata', 1, issues);
  return issues.length > 0
    ? { ok: false, issues: issues.slice(0, MAX_ISSUES) }
    : { ok: true, metadata: json as JsonObject };
}

function check(value: unknown, path: string, depth: number, issues: Issue[]): void {
  if (issues.length >= MAX_ISSUES) return;
  if (typeof value === 'string') {
    if (!STORABLE.test(value))
      issues.push({ message: `${path}: must not hold U+0000 or half a surrogate pair` });
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) issues.push({ message: `${path}: is too large a number` });
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH) issues.push({ message: `${path}: is nested deeper than ${MAX_DEPTH}` });
    else if (Array.isArray(value))
      for (const [index, element] of value.entries())
        check(element, `${path}[${index}]`, depth + 1, issues);
    else checkMembers(value as Record<string, unknown>, path, depth, issues);
  }
}

function checkMembers(
  object: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
  issues: Issue[],
): void {
  for (const [name, value] of Object.entries(object)) {
    const problem = nameProblem(name);
    const member = `${path}.${shownName(name)}`;
    if (problem !== null) issues.push({ message: `${member}: ${problem}` });
    check(value, member, depth + 1, issues);
  }
}

/** Filters could not name such a key, so what it should restrict would stay open. */
function nameProblem(name: string): string | null {
  if (name === '') return 'a name must not be empty';
  if (name.includes('.')) return 'a name must not hold a dot, which filters take for a path';
  if (!STORABLE.test(name)) return 'a name must not hold U+0000 or half a surrogate pair';
  if ([...name].length > limits.characters)
    return `a name must be at most ${limits.characters} characters`;
  return null;
}

/** Whether two metadata values are the same JSON, written in the same order. */
export function sameMetadata(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
