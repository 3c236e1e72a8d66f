import { type Issue, MAX_PROBLEMS } from '@gatehouse/contract';
import {
  connectives,
  documentFields,
  type JsonObject,
  type JsonValue,
  limits,
} from '@gatehouse/filter';
import { shownName } from '../../lib/json/index.ts';

/** Maximum size of metadata as JSON, in UTF-8 bytes. */
export const MAX_METADATA_BYTES = 64 * 1024;
/** Maximum depth of a dotted name in a filter. */
const MAX_DEPTH = 32;
/** Matches text without U+0000 and lone surrogates. */
const STORABLE = /^[^\0\uD800-\uDFFF]*$/u;
const RESERVED: ReadonlySet<string> = new Set([...documentFields, ...connectives]);

/** Validates metadata of a request. Returns the typed metadata, or every problem with its path. */
export function readMetadata(
  json: unknown,
):
  | { readonly ok: true; readonly metadata: JsonObject }
  | { readonly ok: false; readonly issues: Issue[] } {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return { ok: false, issues: [{ message: 'metadata: must be an object' }] };
  // The size is checked first, because the other checks are slow for megabytes of metadata.
  const bytes = Buffer.byteLength(JSON.stringify(json));
  if (bytes > MAX_METADATA_BYTES) {
    const problem = `must be at most ${MAX_METADATA_BYTES} bytes of JSON, but is ${bytes}`;
    return { ok: false, issues: [{ message: `metadata: ${problem}` }] };
  }
  const issues: Issue[] = [];
  for (const name of Object.keys(json)) {
    if (RESERVED.has(name))
      issues.push({
        message: `metadata.${name}: is a reserved name of the filter language; use a different name`,
      });
  }
  check(json, 'metadata', 1, issues);
  return issues.length > 0
    ? { ok: false, issues: issues.slice(0, MAX_PROBLEMS) }
    : { ok: true, metadata: json as JsonObject };
}

function check(value: unknown, path: string, depth: number, issues: Issue[]): void {
  if (issues.length >= MAX_PROBLEMS) return;
  if (typeof value === 'string') {
    if (!STORABLE.test(value))
      issues.push({ message: `${path}: must not contain U+0000 or a lone surrogate` });
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value))
      issues.push({ message: `${path}: must be a number within the range of an IEEE 754 double` });
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH)
      issues.push({ message: `${path}: is nested deeper than ${MAX_DEPTH} levels` });
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

/** Returns the problem of a name that filters cannot address. A restriction on such a name would have no effect. */
function nameProblem(name: string): string | null {
  if (name === '') return 'a name must not be empty';
  if (name.includes('.'))
    return 'a name must not contain a dot, because filters use dots as path separators';
  if (!STORABLE.test(name)) return 'a name must not contain U+0000 or a lone surrogate';
  if ([...name].length > limits.characters)
    return `a name must have at most ${limits.characters} characters`;
  return null;
}

/** Reports whether two metadata values are equal, including the order of their members. */
export function sameMetadata(one: JsonValue, other: JsonValue): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
