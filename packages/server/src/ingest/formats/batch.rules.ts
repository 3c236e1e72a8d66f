import { isAscii } from 'node:buffer';
import {
  DOCUMENT_DELETED,
  DOCUMENT_UPSERTED,
  MAX_DOCUMENT_SUBJECT_BYTES,
  MAX_DOCUMENT_SUBJECT_LENGTH,
  MAX_EVENTS_PER_REQUEST,
} from '@gatehouse/contract';
import { parseJson, readText, tooDeep } from '../../http/index.ts';
import { measureJson, TOO_DEEP } from '../../lib/json/index.ts';
import { cloudEventProblems } from '../validation/cloud-event.rules.ts';
import { eventProblems, MAX_PROBLEMS } from '../validation/event.rules.ts';
import {
  EventLayout,
  layOutArray,
  layOutOne,
  MAX_EVENT_DEPTH,
  repeatedInEvent,
} from './batch-layout.rules.ts';
import { checkArray, checkBatchShape, checkOne } from './batch-shape.rules.ts';
import type {
  EventAuth,
  IngestBatch,
  InvalidEvent,
  ReadEvent,
  ValidEvent,
} from './read-event.rules.ts';
import { authProblems, toEventAuth } from './read-event.rules.ts';

/** Size in bytes above which the nesting depth of a body is measured before parsing. */
const MAX_UNMEASURED_BYTES = 128 * 1024;
const MAX_BATCH_DEPTH = 10_000;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;
const EMPTY = Object.freeze({});

/** Shared scratch memory. Reading is synchronous, so only one batch uses it at a time. */
const layouts = Array.from({ length: MAX_EVENTS_PER_REQUEST }, () => new EventLayout());

/**
 * Reads a body of the `application/json` format: `{ "events": [ … ], "auth"?: { … } }` with 0 to 100 events. A problem
 * in one event makes only that event invalid.
 *
 * `bytes` must not change before `packEvents` has copied the texts of the valid events.
 *
 * @param hasAttributes reports whether the request has headers of binary mode, which an error then explains.
 * @throws ApiError 400 `http.malformed-json` for invalid JSON and for a body over 128 KiB that is nested deeper than
 * 10,000 levels, or `events.invalid` with the problems of the request.
 */
export function readBatch(bytes: Uint8Array, hasAttributes = () => false): IngestBatch {
  const shape = checkBatchShape(bytes, readBody(bytes), layouts, hasAttributes);
  return { bytes, auth: shape.auth, events: readEvents(bytes, shape.events, eventProblems) };
}

/**
 * Reads a body of the `application/cloudevents-batch+json` format: an array of 0 to 100 events that follow CloudEvents
 * 1.0.2. The errors and the restriction on changing `bytes` are the same as for `readBatch`.
 */
export function readEventArray(bytes: Uint8Array): IngestBatch {
  const values = checkArray(readBody(bytes));
  layOutArray(bytes, layouts);
  return { bytes, auth: null, events: readEvents(bytes, values, cloudEventProblems) };
}

/** Reads a body of the `application/cloudevents+json` format: one event that follows CloudEvents 1.0.2. */
export function readOneEvent(bytes: Uint8Array): IngestBatch {
  const value = readBody(bytes);
  checkOne(value);
  return readSingle(bytes, value, cloudEventProblems);
}

/**
 * Validates one event that is already parsed.
 *
 * @param bytes the JSON text of the event.
 */
export function readSingle(bytes: Uint8Array, value: unknown, rules: Rules): IngestBatch {
  layOutOne(bytes, layouts[0] as EventLayout);
  return { bytes, auth: null, events: readEvents(bytes, [value], rules) };
}

/** @throws ApiError 400 `http.malformed-json`. */
export function readBody(bytes: Uint8Array): unknown {
  const text = readText(bytes);
  // Parsing 8 MiB of brackets takes V8 one second and 300 MB.
  if (bytes.length > MAX_UNMEASURED_BYTES && measureJson(bytes, MAX_BATCH_DEPTH) === TOO_DEEP) {
    throw tooDeep(MAX_BATCH_DEPTH);
  }
  return parseJson(text);
}

/**
 * Returns the problems of an event whose text starts at `start` in `bytes`. Returns an empty array for a valid event.
 */
type Rules = (
  value: unknown,
  plain: boolean,
  bytes: Uint8Array,
  start: number,
) => readonly string[];

function readEvents(bytes: Uint8Array, values: readonly unknown[], rules: Rules): ReadEvent[] {
  const plain = isPlain(bytes);
  const events: ReadEvent[] = [];
  for (let index = 0; index < values.length; index++) {
    const layout = layouts[index] as EventLayout;
    events.push(readEvent(bytes, values[index], layout, index, plain, rules));
  }
  return events;
}

function readEvent(
  bytes: Uint8Array,
  value: unknown,
  layout: EventLayout,
  index: number,
  plain: boolean,
  rules: Rules,
): ReadEvent {
  const { type, subject } = (value ?? EMPTY) as { type?: unknown; subject?: unknown };
  const isDocument = feedsKnowledge(type);
  const problem = isDocument ? documentSubjectProblem(subject) : null;
  const found = rules(value, plain, bytes, layout.start);
  const problems = problem === null ? found : [...found, problem];
  const repeated = repeatedInEvent(bytes, value, layout);
  if (problems.length > 0 || repeated.length > 0 || layout.tooDeep) {
    return failed(value, layout, index, repeated, problems);
  }
  const event = value as { id: string; source: string; type: string; auth?: EventAuth };
  const { start, end, cutStart, cutEnd } = layout;
  return {
    valid: true,
    index,
    auth: event.auth ?? null,
    problems,
    id: event.id,
    source: event.source,
    type: event.type,
    feedsKnowledge: isDocument,
    start,
    end,
    cutStart,
    cutEnd,
  } as ValidEvent;
}

/** Creates an invalid event. Includes its credential, because only an authenticated sender receives the problems. */
function failed(
  value: unknown,
  layout: EventLayout,
  index: number,
  repeated: readonly string[],
  problems: readonly string[],
): InvalidEvent {
  const all: string[] = [];
  for (const path of repeated) all.push(`${path}: is given twice`);
  if (layout.tooDeep) all.push(`event: is nested deeper than ${MAX_EVENT_DEPTH} levels`);
  all.push(...problems);
  const ambiguous = repeated.some((path) => path === 'auth' || path.startsWith('auth.'));
  const { start, end, cutStart, cutEnd } = layout;
  return {
    valid: false,
    index,
    auth: ambiguous ? null : usableAuth(value),
    problems: all.slice(0, MAX_PROBLEMS),
    id: layout.tooDeep ? null : stringAt(value, 'id'),
    source: layout.tooDeep ? null : stringAt(value, 'source'),
    start,
    end,
    cutStart,
    cutEnd,
  };
}

function stringAt(value: unknown, name: string): string | null {
  const member = (value as Record<string, unknown> | null)?.[name];
  return typeof member === 'string' ? member : null;
}

function usableAuth(value: unknown): EventAuth | null {
  const auth = (value as { auth?: unknown } | null)?.auth;
  return auth === undefined || authProblems(auth).length > 0 ? null : toEventAuth(auth);
}

/** Reports whether all strings are printable ASCII. Without escapes, U+007F is the only control character that JSON allows. */
function isPlain(bytes: Uint8Array): boolean {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isAscii(body) && !body.includes(BACKSLASH) && !body.includes(DELETE);
}

/** Reports whether events of this type change documents, which requires a separate permission. */
function feedsKnowledge(type: unknown): boolean {
  return type === DOCUMENT_UPSERTED || type === DOCUMENT_DELETED;
}

/**
 * Returns the problem with the `subject` of a document event, which identifies the document. Returns `null` if the
 * subject is valid or another rule reports it. Problems with `data` are recorded on the document instead, where an
 * editor can retry.
 */
function documentSubjectProblem(subject: unknown): string | null {
  if (subject === undefined || subject === null)
    return 'subject: is required with this type because it identifies the document';
  if (typeof subject !== 'string') return null;
  if (subject.length > MAX_DOCUMENT_SUBJECT_LENGTH)
    return `subject: must have at most ${MAX_DOCUMENT_SUBJECT_LENGTH} characters with this type`;
  if (Buffer.byteLength(subject) > MAX_DOCUMENT_SUBJECT_BYTES)
    return `subject: must have at most ${MAX_DOCUMENT_SUBJECT_BYTES} bytes in UTF-8 with this type`;
  return null;
}
