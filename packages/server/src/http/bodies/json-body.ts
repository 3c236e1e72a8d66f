import { isUtf8 } from 'node:buffer';
import { ApiError, type Issue } from '@gatehouse/contract';
import {
  countMembers,
  findRepeats,
  findSyntaxError,
  measureJson,
  parse,
  TOO_DEEP,
  TOO_MANY,
} from '../../lib/json/index.ts';

export const MAX_BODY_DEPTH = 100;
/** Maximum number of members and elements in a request body. V8 takes seconds to parse millions of them. */
export const MAX_BODY_VALUES = 50_000;

/**
 * Decodes a request body: UTF-8 without a byte order mark (RFC 8259, section 8.1).
 *
 * @throws {ApiError} 400 `http.malformed-json` for an empty body, a byte order mark or invalid UTF-8.
 */
export function readText(bytes: Uint8Array): string {
  if (bytes.length === 0) throw malformedJson('The body is empty; send a JSON object.');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    throw malformedJson('The body starts with a byte order mark; send UTF-8 without one.');
  }
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = body.toString('utf8');
  if (!isUtf8(body)) {
    throw malformedJson(`The body is not valid UTF-8, near byte ${firstDifference(body, text)}.`);
  }
  return text;
}

/**
 * Parses JSON. Unlike V8's error, the error contains only the position of the syntax error. The text is omitted because it may
 * contain secrets.
 *
 * @throws {ApiError} 400 `http.malformed-json`.
 */
export function parseJson(text: string): unknown {
  try {
    return parse(text);
  } catch {
    throw malformedJson(`The body ${notJson(text)}.`);
  }
}

/**
 * Parses the JSON of a request body. Unlike `JSON.parse`, rejects duplicate member names and bodies that exceed `MAX_BODY_DEPTH`
 * or `MAX_BODY_VALUES`.
 *
 * @throws {ApiError} 400 `http.malformed-json`, with an issue per duplicate name (at most 100).
 */
export function readJson(bytes: Uint8Array): unknown {
  const read = readStrictly(bytes, readText(bytes), '');
  if (!read.ok) throw malformedJson(`The body ${read.problem}.`, read.repeats);
  return read.value;
}

/**
 * Parses JSON text inside a body, such as a part of a multipart body, with the rules of `readJson`.
 *
 * @param member path that each issue starts with.
 */
export function readJsonMember(
  text: string,
  member: string,
):
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly Issue[] } {
  const read = readStrictly(Buffer.from(text), text, member);
  if (read.ok) return read;
  const issues =
    read.repeats.length > 0 ? read.repeats : [{ message: `${member}: ${read.problem}` }];
  return { ok: false, issues };
}

type Strict =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      /** Predicate of a sentence about the body. */
      readonly problem: string;
      /** One issue per duplicate name. */
      readonly repeats: readonly Issue[];
    };

function readStrictly(bytes: Uint8Array, text: string, path: string): Strict {
  // Checked before parsing, because V8 takes a second and 300 MB for 8 MiB of brackets.
  const members = measureJson(bytes, MAX_BODY_DEPTH, MAX_BODY_VALUES);
  if (members === TOO_DEEP) return { ok: false, problem: deeperThan(MAX_BODY_DEPTH), repeats: [] };
  if (members === TOO_MANY)
    return {
      ok: false,
      problem: `has more than ${MAX_BODY_VALUES} members and elements`,
      repeats: [],
    };
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return { ok: false, problem: notJson(text), repeats: [] };
  }
  if (countMembers(value) === members) return { ok: true, value };
  const repeats = findRepeats(bytes, path);
  return { ok: false, problem: 'contains duplicate members; send each member once', repeats };
}

function notJson(text: string): string {
  const error = findSyntaxError(text);
  if (error === null) return 'is not valid JSON';
  return `is not valid JSON: ${error.expected} at line ${error.line}, column ${error.column}`;
}

function deeperThan(limit: number): string {
  return `is nested deeper than ${limit} levels`;
}

export function tooDeep(limit: number): ApiError {
  return malformedJson(`The body ${deeperThan(limit)}.`);
}

function malformedJson(message: string, issues: readonly Issue[] = []): ApiError {
  return new ApiError({ status: 400, code: 'http.malformed-json', message, issues });
}

/** Returns the offset of the first invalid byte: the first byte that changes if the text is decoded and encoded again. */
function firstDifference(body: Buffer, text: string): number {
  const encoded = Buffer.from(text, 'utf8');
  let at = 0;
  while (at < body.length && body[at] === encoded[at]) at++;
  return at;
}
