import { isUtf8 } from 'node:buffer';
import { cloudEventProblems } from '../validation/cloud-event.rules.ts';
import { type AttributeHeaders, readAttributeHeaders } from './attribute-headers.rules.ts';
import { readBody, readSingle } from './batch.rules.ts';
import { invalid } from './batch-shape.rules.ts';
import { isJson, type MediaType, parseMediaType } from './media-type.rules.ts';
import type { IngestBatch } from './read-event.rules.ts';

export const REQUIRED = ['specversion', 'id', 'source', 'type'] as const;

/** An event in binary mode: its attributes are headers, and its data is the body. */
export interface BinaryEvent {
  /** Names and values in turn, as Node gives them. */
  readonly rawHeaders: readonly string[];
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** A member of the event's JSON for its data: the text it is written as, and what that is parsed to. */
interface Data {
  readonly name: 'data' | 'data_base64';
  readonly text: Uint8Array | string;
  readonly value: unknown;
}

/**
 * Reads an event in binary mode (CloudEvents 1.0.2, HTTP binding, section 3.1) as the JSON event that
 * says the same: JSON data keeps its exact text, text becomes a string, anything else Base64.
 *
 * @throws ApiError 400 `events.invalid` when a required attribute has no header, since then it is no
 * event, or when the body is a batch of our own, and `http.malformed-json` for a body that is declared as JSON and is none.
 */
export function readBinaryEvent({ rawHeaders, contentType, body }: BinaryEvent): IngestBatch {
  const headers = readAttributeHeaders(rawHeaders);
  const missing = REQUIRED.filter((name) => !headers.names.has(name));
  if (missing.length > 0) throw invalid(missing.map((name) => `ce-${name}: is required`));
  const attributes = Object.fromEntries(headers.values);
  if (contentType !== undefined) attributes['datacontenttype'] = contentType;
  const data = body.length === 0 ? null : dataOf(body, contentType);
  const value = data === null ? attributes : { ...attributes, [data.name]: data.value };
  return readSingle(write(attributes, data), value, (...event) =>
    merge(headers, cloudEventProblems(...event)),
  );
}

/** What is wrong with the headers, then with the event, but not twice with one attribute. */
function merge({ problems }: AttributeHeaders, more: readonly string[]): readonly string[] {
  if (problems.length === 0) return more;
  const named = new Set(problems.map(memberOf));
  return [...problems, ...more.filter((problem) => !named.has(memberOf(problem)))];
}

function memberOf(problem: string): string {
  return problem.slice(0, problem.indexOf(':'));
}

function dataOf(body: Uint8Array, contentType: string | undefined): Data {
  const type = contentType === undefined ? null : parseMediaType(contentType);
  if (type !== null && isJson(type)) {
    const value = readBody(body);
    if (type.essence === 'application/json' && isOwnBatch(value)) throw invalid([AMBIGUOUS]);
    return { name: 'data', text: body, value };
  }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isString = type !== null && isText(type) && isUtf8(bytes);
  const value = bytes.toString(isString ? 'utf8' : 'base64');
  if (isString && !CONTROLS.test(value))
    return { name: 'data', text: JSON.stringify(value), value };
  const encoded = bytes.toString('base64');
  return { name: 'data_base64', text: `"${encoded}"`, value: encoded };
}

const AMBIGUOUS =
  'body: is a batch of events, but the headers are those of one event; send one of the two';

/** Whether it might have been meant for our own format, whose credential must not end up in an event. */
function isOwnBatch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { events, auth, ...others } = value as Record<string, unknown>;
  return Array.isArray(events) && Object.keys(others).length === 0;
}

/** What JSON would write six times as long, and text does not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f]/;

function isText({ essence, charset }: MediaType): boolean {
  if (charset !== null && !['utf-8', 'utf8', 'us-ascii'].includes(charset)) return false;
  return essence.startsWith('text/') || essence === 'application/xml' || essence.endsWith('+xml');
}

function write(attributes: Readonly<Record<string, string>>, data: Data | null): Uint8Array {
  const text = JSON.stringify(attributes);
  if (data === null) return Buffer.from(text);
  const before = `${text.slice(0, -1)},"${data.name}":`;
  return Buffer.concat([Buffer.from(before), Buffer.from(data.text), Buffer.from('}')]);
}
