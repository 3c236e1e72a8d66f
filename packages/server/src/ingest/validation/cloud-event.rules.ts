import { JsonCursor, shownName, textAt } from '../../lib/json/index.ts';
import { parseMediaType } from '../formats/media-type.rules.ts';
import { authProblems } from '../formats/read-event.rules.ts';
import {
  addAll,
  attributeStringProblem,
  createSourceCheck,
  note,
  optionalString,
  requiredString,
  requiredType,
  versionProblem,
} from './attribute.rules.ts';
import { MAX_PROBLEMS } from './event.rules.ts';
import { dateTimeProblem } from './time.rules.ts';
import { createUriCheck, createUriReferenceCheck } from './uri.rules.ts';

const NONE: readonly string[] = Object.freeze([]);
const KNOWN = new Set(
  'id source specversion type datacontenttype dataschema subject time data data_base64 auth'.split(
    ' ',
  ),
);
const NAME = /^[a-z0-9]+$/;
const WHOLE_NUMBER = /^-?[0-9]+$/;
const LARGEST = 2 ** 31 - 1;

const sourceProblem = createSourceCheck(createUriReferenceCheck());
const schemaProblem = createUriCheck();

/**
 * Validates one event against CloudEvents 1.0.2 and its JSON format. A `null` attribute counts as missing. `auth` is a
 * credential and not part of the event.
 *
 * @param value the parsed event.
 * @param plain `true` if all strings are known to be printable ASCII.
 * @param bytes the JSON text, needed for details that parsing loses.
 * @param start offset of the event in `bytes`.
 * @returns at most 100 problems, each starting with the name of its member.
 */
export function cloudEventProblems(
  value: unknown,
  plain: boolean,
  bytes: Uint8Array,
  start: number,
): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return ['event: must be an object'];
  const event = value as Record<string, unknown>;
  const given = (name: string): unknown => event[name] ?? undefined;
  let problems: string[] | null = null;
  problems = note(problems, 'id', requiredString(given('id'), plain));
  problems = note(problems, 'source', requiredSource(given('source')));
  problems = note(problems, 'specversion', versionProblem(given('specversion')));
  problems = note(problems, 'type', requiredType(given('type'), plain));
  problems = note(problems, 'datacontenttype', optional(given('datacontenttype'), typeProblem));
  problems = note(problems, 'dataschema', optional(given('dataschema'), schemaProblem));
  problems = note(problems, 'subject', optionalString(given('subject'), plain));
  problems = note(problems, 'time', optional(given('time'), dateTimeProblem));
  problems = note(problems, 'data_base64', dataProblem(event));
  if (given('auth') !== undefined) problems = addAll(problems, authProblems(event['auth']));
  problems = addAll(problems, extensionProblems(event, plain, bytes, start));
  return problems === null ? NONE : problems.slice(0, MAX_PROBLEMS);
}

function requiredSource(value: unknown): string | null {
  return value === undefined ? 'is required' : optional(value, sourceProblem);
}

function optional(value: unknown, problem: (text: string) => string | null): string | null {
  if (value === undefined) return null;
  return typeof value === 'string' ? problem(value) : 'must be a string';
}

function typeProblem(value: string): string | null {
  return parseMediaType(value) === null ? 'must be a media type, such as application/json' : null;
}

/** `null` is valid `data`, but a `data_base64` of `null` counts as missing. */
function dataProblem(event: Record<string, unknown>): string | null {
  const encoded = event['data_base64'] ?? undefined;
  if (encoded === undefined) return null;
  if (event['data'] !== undefined) return 'must not be combined with data';
  return optional(encoded, base64Problem);
}

function extensionProblems(
  event: Record<string, unknown>,
  plain: boolean,
  bytes: Uint8Array,
  start: number,
): readonly string[] {
  let found: string[] | null = null;
  let numbers: Set<string> | null = null;
  for (const name of Object.keys(event)) {
    if (KNOWN.has(name)) continue;
    const value = event[name];
    const problem = NAME.test(name) ? valueProblem(value, plain) : NAME_RULE;
    if (problem === null && typeof value === 'number') {
      numbers ??= new Set();
      numbers.add(name);
    } else if (problem !== null && (found?.length ?? 0) < MAX_PROBLEMS)
      found = note(found, shownName(name), problem);
  }
  if (numbers !== null) found = addAll(found, fractionsIn(numbers, bytes, start));
  return found ?? NONE;
}

const NAME_RULE = 'must have a name of lower-case letters a-z and digits only';
const NUMBER_RULE = 'must be a whole number from -2147483648 to 2147483647';

function valueProblem(value: unknown, plain: boolean): string | null {
  switch (typeof value) {
    case 'string':
      return plain ? null : attributeStringProblem(value);
    case 'boolean':
      return null;
    case 'number':
      return Number.isInteger(value) && value >= -LARGEST - 1 && value <= LARGEST
        ? null
        : NUMBER_RULE;
    default:
      return value === null ? null : 'must be a string, a boolean or a whole number';
  }
}

/** `JSON.parse` reads `1.0` as 1, but the JSON format allows neither fraction nor exponent in an integer. */
function fractionsIn(
  names: ReadonlySet<string>,
  bytes: Uint8Array,
  start: number,
): readonly string[] {
  const problems: string[] = [];
  const cursor = new JsonCursor(bytes, start);
  cursor.enter();
  while (cursor.nextMember() && problems.length < MAX_PROBLEMS) {
    const name = cursor.name();
    const from = cursor.at;
    cursor.skip();
    if (names.has(name) && !WHOLE_NUMBER.test(textAt(bytes, from, cursor.at)))
      problems.push(`${name}: ${NUMBER_RULE}, without fraction or exponent`);
  }
  return problems;
}

const SYMBOLS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const NO_VALUE = 255;
const VALUES = new Uint8Array(128).fill(NO_VALUE);
for (let value = 0; value < SYMBOLS.length; value++) VALUES[SYMBOLS.charCodeAt(value)] = value;

/**
 * Returns the problem with a Base64 string (RFC 4648, section 4), or `null` if it is valid. Padding is required, unused
 * bits must be zero, and line breaks are not allowed. The empty string is valid.
 */
export function base64Problem(value: string): string | null {
  if (value.length % 4 !== 0) return 'must be base64, in groups of four characters padded with "="';
  const padding = value.endsWith('==') ? 2 : Number(value.endsWith('='));
  const end = value.length - padding;
  let last = 0;
  for (let at = 0; at < end; at++) {
    last = VALUES[value.charCodeAt(at)] ?? NO_VALUE;
    if (last === NO_VALUE)
      return `must be base64 (A-Z, a-z, 0-9, "+", "/"); the character at position ${at} is not allowed`;
  }
  // One "=" leaves two bits of the last character unused. Two leave four bits unused.
  const unused = padding === 0 ? 0 : padding === 1 ? 0b11 : 0b1111;
  return (last & unused) === 0
    ? null
    : 'must be base64 whose unused bits in the last character are zero';
}
