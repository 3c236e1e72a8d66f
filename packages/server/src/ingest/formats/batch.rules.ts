import { isAscii } from 'node:buffer';
import {
  DOCUMENT_DELETED,
  DOCUMENT_UPSERTED,
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

/** A larger body is looked over for its depth before it is parsed. */
const QUICK_TO_PARSE = 128 * 1024; // bytes
const MAX_BATCH_DEPTH = 10_000;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;
const NOTHING = Object.freeze({});

/** Scratch space: reading a batch never waits, so no two batches use it at the same time. */
const layouts = Array.from({ length: MAX_EVENTS_PER_REQUEST }, () => new EventLayout());

/**
 * Reads the body of the `application/json` format: `{ "events": [ … ], "auth"?: { … } }`, 0 to 100
 * events (interface, sections 2.4 and 4.2). What is wrong with one event fails that event alone.
 *
 * Nothing is written anew: the text of a valid event is taken from `bytes` by `packEvents`, so they
 * must stay as they are until then. 100 events of 500 bytes cost about 1.5 times their `JSON.parse`.
 *
 * @throws ApiError 400 `http.malformed-json`, also for a large body nested deeper than 10,000 levels,
 * or `events.invalid` with every problem of the request.
 */
export function readBatch(bytes: Uint8Array): IngestBatch {
  const shape = checkBatchShape(bytes, readBody(bytes), layouts);
  return { bytes, auth: shape.auth, events: readEvents(bytes, shape.events, eventProblems) };
}

/**
 * Reads the body of the `application/cloudevents-batch+json` format: an array of 0 to 100 events by the
 * rules of CloudEvents 1.0.2. As `readBatch` in everything else.
 */
export function readEventArray(bytes: Uint8Array): IngestBatch {
  const values = checkArray(readBody(bytes));
  layOutArray(bytes, layouts);
  return { bytes, auth: null, events: readEvents(bytes, values, cloudEventProblems) };
}

/** Reads the body of the `application/cloudevents+json` format: one event. As `readEventArray` in everything else. */
export function readOneEvent(bytes: Uint8Array): IngestBatch {
  const value = readBody(bytes);
  checkOne(value);
  return readSingle(bytes, value, cloudEventProblems);
}

/**
 * Reads one event that is parsed already, or was written here from what its sender sent in another form.
 *
 * @param bytes the text of the event.
 */
export function readSingle(bytes: Uint8Array, value: unknown, rules: Rules): IngestBatch {
  layOutOne(bytes, layouts[0] as EventLayout);
  return { bytes, auth: null, events: readEvents(bytes, [value], rules) };
}

/**
 * Parses a body, as `readBatch` does.
 *
 * @throws ApiError 400 `http.malformed-json`.
 */
export function readBody(bytes: Uint8Array): unknown {
  const text = readText(bytes);
  // V8 takes a second and 300 MB for 8 MiB of brackets.
  if (bytes.length > QUICK_TO_PARSE && measureJson(bytes, MAX_BATCH_DEPTH) === TOO_DEEP) {
    throw tooDeep(MAX_BATCH_DEPTH);
  }
  return parseJson(text);
}

/** What is wrong with an event, which begins at `start` in `bytes`; nothing when the list is empty. */
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
  const { type, subject } = (value ?? NOTHING) as { type?: unknown; subject?: unknown };
  const isDocument = feedsKnowledge(type);
  const fault = isDocument ? documentSubjectFault(subject) : null;
  const found = rules(value, plain, bytes, layout.start);
  const problems = fault === null ? found : [...found, fault];
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

/** Its credential counts even so: whoever sends a bad event with a good key hears what is bad. */
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

/** Whether all strings are printable ASCII: without escapes, U+007F is the one other control that JSON lets through. */
function isPlain(bytes: Uint8Array): boolean {
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isAscii(body) && !body.includes(BACKSLASH) && !body.includes(DELETE);
}

/** Whether events of this type change documents, which takes a right of its own. */
function feedsKnowledge(type: unknown): boolean {
  return type === DOCUMENT_UPSERTED || type === DOCUMENT_DELETED;
}

/**
 * What is wrong with the `subject` of such an event, by which its document is known; null when nothing
 * is, or when it has a fault that other rules name. What is wrong with its `data` is noted at the
 * document, where it can be looked at and tried again.
 */
function documentSubjectFault(subject: unknown): string | null {
  if (subject === undefined || subject === null)
    return 'subject: is required with this type, since it names the document';
  if (typeof subject !== 'string' || subject.length <= MAX_DOCUMENT_SUBJECT_LENGTH) return null;
  return `subject: must have at most ${MAX_DOCUMENT_SUBJECT_LENGTH} characters with this type`;
}
