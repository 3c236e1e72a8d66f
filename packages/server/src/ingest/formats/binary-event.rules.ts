import { isUtf8 } from 'node:buffer';
import { cloudEventProblems } from '../validation/cloud-event.rules.ts';
import { type AttributeHeaders, readAttributeHeaders } from './attribute-headers.rules.ts';
import { readBody, readSingle } from './batch.rules.ts';
import { invalid } from './batch-shape.rules.ts';
import { isJson, type MediaType, parseMediaType } from './media-type.rules.ts';
import type { IngestBatch } from './read-event.rules.ts';

export const REQUIRED = ['specversion', 'id', 'source', 'type'] as const;

export interface BinaryEvent {
  /** Alternating names and values, as in `IncomingMessage.rawHeaders`. */
  readonly rawHeaders: readonly string[];
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
}

/** The member of the JSON event that contains the body, as JSON text and as a parsed value. */
interface Data {
  readonly name: 'data' | 'data_base64';
  readonly text: Uint8Array | string;
  readonly value: unknown;
}

/**
 * Converts an event in binary mode (CloudEvents 1.0.2, HTTP binding, section 3.1) to the equivalent JSON event.
 * JSON data keeps its exact text, text becomes a string, and any other data becomes Base64.
 *
 * @throws ApiError 400 `events.invalid` if a required attribute has no header or if the body is a Gatehouse batch,
 * and `http.malformed-json` if the content type is JSON but the body is not.
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

/** Combines the problems of headers and event. A header problem hides the event problems of the same attribute. */
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
  'body: is a batch of events, but the headers describe one event; remove the ce- headers or send the data of one event';

/** Reports whether a body is probably a Gatehouse batch. Storing it as event data would store its credential. */
function isOwnBatch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { events, auth, ...others } = value as Record<string, unknown>;
  return Array.isArray(events) && Object.keys(others).length === 0;
}

/** Matches control characters that do not occur in text. JSON needs six bytes for each of these characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression must match control characters
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
