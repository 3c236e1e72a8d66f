import { MAX_RECORD_KEY_LENGTH } from '@gatehouse/contract';
import type { JsonValue } from '@gatehouse/filter';
import { exactNumber, JsonCursor, parse, textAt } from '../../lib/json/index.ts';
import { type EventFilter, matchesFilter, type StoredEvent } from '../../storage/ports/index.ts';
import { readMetadata } from '../documents/metadata.rules.ts';
import { readEncodedData } from '../encoded-data.rules.ts';
import { type Definition, metadataFields, namesOf, valueAt } from './definition.rules.ts';

/** Sort key of an event. The write with the greatest key wins. */
export interface Stamp {
  /** `time` of the event, but at most the time of receipt, in Unix milliseconds. Without `time`: the time of receipt. */
  readonly time: number;
  readonly position: number;
}

/** The event that set a value of a record. */
export interface RecordEvent extends Stamp {
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string | null;
}

export interface FieldState {
  readonly value: JsonValue;
  /** True for metadata that is not valid, such as a value that is too long. */
  readonly isUnusable?: true;
  readonly event: RecordEvent;
}

export interface HistoryEntry {
  readonly event: RecordEvent;
  /** Values that the event contains, by field. Long ones are shortened. */
  readonly values: Readonly<Record<string, JsonValue>>;
}

/** The merged events of a record. A record exists while `history` is not empty. */
export interface RecordState {
  /** The latest deletion. All other members depend only on later events. */
  readonly deleted: Stamp | null;
  readonly fields: Readonly<Record<string, FieldState>>;
  /** The newest events, oldest first. */
  readonly history: readonly HistoryEntry[];
}

/** The effect of an event on one record. */
export interface RecordChange {
  readonly key: string;
  readonly isDeletion: boolean;
  readonly event: RecordEvent;
  readonly values: Readonly<Record<string, JsonValue>>;
  /** Names of the fields whose values are not valid as metadata. */
  readonly unusable?: ReadonlySet<string>;
}

export const MAX_HISTORY = 20;
/** Maximum length of a value in the text of a record. */
export const MAX_SHOWN_VALUE = 1000;
/** Maximum length of the values of an entry of a history. A text has no room for more. */
const MAX_ENTRY_LENGTH = 8000;
/** Maximum size of a value as JSON, in characters. */
const MAX_VALUE_LENGTH = 4000;
const OPEN_ARRAY = 0x5b;
const STORABLE = /^[^\0\uD800-\uDFFF]+$/u;

export const EMPTY_STATE: RecordState = { deleted: null, fields: {}, history: [] };

/** Returns the condition on the events that a projection reads. */
export function filterOf({ types, deletedBy, sources }: Definition): EventFilter {
  return { types: [...types, ...deletedBy], ...(sources === null ? {} : { sources }) };
}

/** Returns the change that an event makes, or `null` if the event has no usable key. */
export function changeOf(
  definition: Definition,
  { position, receivedAt, text }: StoredEvent,
): RecordChange | null {
  const event = parse(text) as Readonly<Record<string, unknown>>;
  const { id, source, type, subject, time } = event;
  const { data, written } = payloadOf(event, text);
  const key = keyOf(definition.key === 'subject' ? subject : valueAt(data, definition.key), () =>
    written(namesOf(definition.key)),
  );
  if (key === null) return null;
  const values: Record<string, JsonValue> = {};
  const unusable = new Set<string>();
  const inMetadata = metadataFields(definition);
  for (const [name, pointer] of Object.entries(definition.fields)) {
    const value = valueAt(data, pointer);
    if (value === undefined) continue;
    const isShort = JSON.stringify(value).length <= MAX_VALUE_LENGTH;
    values[name] = isShort ? (value as JsonValue) : null;
    if (inMetadata.has(name) && !(isShort && readMetadata({ value }).ok)) unusable.add(name);
  }
  // `Date.parse` rejects leap seconds.
  const at =
    typeof time === 'string' ? Date.parse(time.replace(/:60(?=[.Zz+-])/, ':59')) : Number.NaN;
  return {
    key,
    isDeletion: matchesFilter({ types: definition.deletedBy }, event),
    event: {
      // A time in the future would otherwise win over all later events.
      time: Number.isNaN(at) ? receivedAt : Math.min(at, receivedAt),
      position,
      id: String(id),
      source: String(source),
      type: String(type),
      subject: typeof subject === 'string' ? subject : null,
    },
    values,
    unusable,
  };
}

/** Returns the payload of an event, and a function that returns the JSON text of the value at a path in the payload. */
function payloadOf(event: Readonly<Record<string, unknown>>, text: string) {
  const { data, data_base64: encoded } = event;
  if (data !== undefined || typeof encoded !== 'string')
    return { data, written: (path: readonly string[]) => writtenAt(text, ['data', ...path]) };
  const read = readEncodedData(encoded);
  const decoded = () => Buffer.from(encoded, 'base64').toString();
  return {
    data: read.ok ? read.value : undefined,
    written: (path: readonly string[]) => writtenAt(decoded(), path),
  };
}

/** @param written returns the JSON text of the value. Numbers beyond 2^53 are rounded in the value. */
function keyOf(value: unknown, written: () => string): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const isRounded = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
  const key = isRounded ? exactNumber(written()) : String(value);
  return key.length <= MAX_RECORD_KEY_LENGTH && STORABLE.test(key) ? key : null;
}

/** Returns the JSON text of an existing value. If a member name is repeated, the last member counts, as for `JSON.parse`. */
function writtenAt(text: string, path: readonly string[]): string {
  const bytes = Buffer.from(text);
  const cursor = new JsonCursor(bytes);
  for (const name of path) {
    const isArray = bytes[cursor.at] === OPEN_ARRAY;
    let found = cursor.at;
    cursor.enter();
    for (let index = 0; isArray ? cursor.nextElement() : cursor.nextMember(); index += 1) {
      if ((isArray ? String(index) : cursor.name()) === name) found = cursor.at;
      cursor.skip();
    }
    cursor.at = found;
  }
  const start = cursor.at;
  cursor.skip();
  return textAt(bytes, start, cursor.at);
}

/**
 * Merges a change into a state. The result of merging several changes does not depend on their order, and merging a change
 * twice has no effect.
 */
export function merge(
  state: RecordState,
  { isDeletion, event, values, unusable }: RecordChange,
): RecordState {
  const { deleted } = state;
  if (deleted !== null && compare(event, deleted) <= 0) return state;
  if (isDeletion) {
    const { time, position } = event;
    return since(state, { time, position });
  }
  const fields = { ...state.fields };
  for (const [name, value] of Object.entries(values)) {
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined || compare(event, known.event) > 0)
      fields[name] = { value, event, ...(unusable?.has(name) ? { isUnusable: true } : {}) };
  }
  const others = state.history.filter((entry) => entry.event.position !== event.position);
  const history = [...others, { event, values: shortened(values) }]
    .toSorted((one, other) => compare(one.event, other.event))
    .slice(-MAX_HISTORY);
  return { deleted, fields, history };
}

/** Returns the part of the values that a text can show. Otherwise a sender could make states of several megabytes. */
function shortened(values: RecordChange['values']): Record<string, JsonValue> {
  const found: Record<string, JsonValue> = {};
  let left = MAX_ENTRY_LENGTH;
  for (const [name, value] of Object.entries(values)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    left -= Math.min(text.length, MAX_SHOWN_VALUE);
    if (left < 0) return found;
    // One character more than the text shows, so that the text marks the value as cut.
    found[name] = text.length <= MAX_SHOWN_VALUE ? value : text.slice(0, MAX_SHOWN_VALUE + 1);
  }
  return found;
}

/** Removes the values and the history of all events with a subject. Merge the remaining events of the log afterwards. */
export function withoutSubject(state: RecordState, subject: string): RecordState {
  const isKept = ({ event }: { readonly event: RecordEvent }) => event.subject !== subject;
  return {
    deleted: state.deleted,
    fields: Object.fromEntries(Object.entries(state.fields).filter(([, field]) => isKept(field))),
    history: state.history.filter(isKept),
  };
}

function since(state: RecordState, deleted: Stamp): RecordState {
  const isLater = ({ event }: { readonly event: RecordEvent }) => compare(event, deleted) > 0;
  return {
    deleted,
    fields: Object.fromEntries(Object.entries(state.fields).filter(([, field]) => isLater(field))),
    history: state.history.filter(isLater),
  };
}

function compare(one: Stamp, other: Stamp): number {
  return one.time - other.time || one.position - other.position;
}
