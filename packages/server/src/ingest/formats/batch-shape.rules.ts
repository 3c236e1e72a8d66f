import {
  type ApiError,
  invalidRequest,
  MAX_EVENTS_PER_REQUEST,
  MAX_PROBLEMS,
  nameHint,
} from '@gatehouse/contract';
import { isObject, JsonCursor, shownName } from '../../lib/json/index.ts';
import { type EventLayout, layOutBatch, memberCount, repeatedPaths } from './batch-layout.rules.ts';
import type { EventAuth } from './read-event.rules.ts';
import { authProblems, toEventAuth } from './read-event.rules.ts';

const MEMBERS = ['events', 'auth'];

export interface BatchShape {
  readonly auth: EventAuth | null;
  readonly events: readonly unknown[];
}

/**
 * Validates the body of a batch, but not the events in the body.
 *
 * @param body the parsed `bytes`.
 * @param layouts receives the layouts of the events.
 * @param hasAttributes reports whether the request has headers of binary mode.
 * @throws ApiError 400 `events.invalid` with at most 100 problems.
 */
export function checkBatchShape(
  bytes: Uint8Array,
  body: unknown,
  layouts: readonly EventLayout[],
  hasAttributes: () => boolean,
): BatchShape {
  if (Array.isArray(body))
    throw invalid([`body: must be an object with \`events\`; ${SEND_ARRAY}`]);
  if (!isObject(body)) throw invalid(['body: must be an object']);
  if (!('events' in body) && hasAttributes())
    throw invalid([`events: is required; ${SEND_HEADERS}`]);
  if (isEvent(body)) throw invalid([`events: is required; ${SEND_ONE}`]);
  const { events, auth } = body;
  const layout = layOutBatch(bytes, layouts);
  const problems: string[] = [];
  if (layout.members !== memberCount(body) || layout.authMembers !== memberCount(auth)) {
    for (const path of repeatedPaths(new JsonCursor(bytes), ['auth'])) {
      problems.push(`${path}: is given twice`);
    }
  }
  if (memberCount(body) > Number(events !== undefined) + Number(auth !== undefined)) {
    problems.push(...unknownMembers(body));
  }
  problems.push(...eventsProblems(events));
  if (auth !== undefined) problems.push(...authProblems(auth));
  if (problems.length > 0) throw invalid(problems);
  return {
    auth: auth === undefined ? null : toEventAuth(auth),
    events: events as readonly unknown[],
  };
}

/** @throws ApiError 400 `events.invalid` if the body is not an array or has too many events. */
export function checkArray(body: unknown): readonly unknown[] {
  if (!Array.isArray(body)) {
    const hint = isEvent(body) ? `; ${SEND_ONE}` : isBatch(body) ? `; ${SEND_BATCH}` : '';
    throw invalid([`body: must be an array of events${hint}`]);
  }
  const problems = countProblems('body', body);
  if (problems.length > 0) throw invalid(problems);
  return body;
}

/** @throws ApiError 400 `events.invalid` if the body is not an object. */
export function checkOne(body: unknown): void {
  if (Array.isArray(body)) throw invalid([`body: must be one event; ${SEND_ARRAY}`]);
  if (!isObject(body)) throw invalid(['body: must be an object']);
  if (isBatch(body) && !('specversion' in body))
    throw invalid([`body: must be one event; ${SEND_BATCH}`]);
}

const SEND_ONE = 'send one event as application/cloudevents+json';
const SEND_ARRAY = 'send an array as application/cloudevents-batch+json';
const SEND_HEADERS =
  'send all of ce-specversion, ce-id, ce-source and ce-type to describe one event in headers';
const SEND_BATCH = 'send an object with `events` as application/json';

/** Reports whether a value is probably one event. */
function isEvent(value: unknown): boolean {
  return isObject(value) && 'specversion' in value && !('events' in value);
}

function isBatch(value: unknown): boolean {
  return isObject(value) && Array.isArray(value['events']);
}

function eventsProblems(events: unknown): readonly string[] {
  if (events === undefined) return ['events: is required'];
  if (!Array.isArray(events)) return ['events: must be an array'];
  return countProblems('events', events);
}

function countProblems(path: string, { length }: readonly unknown[]): readonly string[] {
  if (length <= MAX_EVENTS_PER_REQUEST) return [];
  return [`${path}: must have at most ${MAX_EVENTS_PER_REQUEST} items, but has ${length}`];
}

function unknownMembers(body: object): string[] {
  const unknown = Object.keys(body).filter((name) => !MEMBERS.includes(name));
  return unknown
    .slice(0, MAX_PROBLEMS)
    .map((name) => `${shownName(name)}: unknown member${nameHint(name, MEMBERS)}`);
}

export function invalid(problems: readonly string[]): ApiError {
  return invalidRequest('events', problems);
}
