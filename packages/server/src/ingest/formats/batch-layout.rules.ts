import { JsonCursor, shownName } from '../../lib/json/index.ts';

/** How deep objects and arrays may lie in each other in one event, the event itself included. */
export const MAX_EVENT_DEPTH = 500;

const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const QUOTED_EVENTS = '"events"'.length;
const QUOTED_AUTH = '"auth"'.length;
const QUOTED_METADATA = '"metadata"'.length;

/** Where one event lies in the bytes of its batch. */
export class EventLayout {
  /** From its opening brace to behind its closing one. */
  start = 0;
  end = 0;
  /** Its `auth` member with one neighbouring comma; both are `end` when it has none. */
  cutStart = 0;
  cutEnd = 0;
  /** How many members stand in it, in its `auth` and in its `metadata`, repeated ones included; 0 where there is no object. */
  members = 0;
  authMembers = 0;
  metadataMembers = 0;
  tooDeep = false;
}

interface BatchLayout {
  /** How many members stand in the body and in its own `auth`, repeated ones included. */
  members: number;
  authMembers: number;
}

/**
 * Finds where the events of a batch lie, in one pass and without making an object for any of them.
 *
 * @param bytes valid JSON, an object.
 * @param events receives the layouts; elements of the batch beyond its length are passed over.
 */
export function layOutBatch(bytes: Uint8Array, events: readonly EventLayout[]): BatchLayout {
  const cursor = new JsonCursor(bytes);
  const batch = { members: 0, authMembers: 0 };
  cursor.enter();
  while (cursor.nextMember()) {
    batch.members++;
    if (isNamed(cursor, 'events', QUOTED_EVENTS)) layOutEvents(cursor, events);
    else if (isNamed(cursor, 'auth', QUOTED_AUTH)) batch.authMembers = countMembers(cursor);
    else cursor.skip();
  }
  return batch;
}

/** As `layOutBatch`, for a body that is the array of events itself. */
export function layOutArray(bytes: Uint8Array, events: readonly EventLayout[]): void {
  layOutEvents(new JsonCursor(bytes), events);
}

/** As `layOutBatch`, for a body that is one event. */
export function layOutOne(bytes: Uint8Array, event: EventLayout): void {
  layOutEvent(new JsonCursor(bytes), event);
}

function layOutEvents(cursor: JsonCursor, events: readonly EventLayout[]): void {
  if (cursor.bytes[cursor.at] !== OPEN_ARRAY) {
    cursor.skip();
    return;
  }
  cursor.enter();
  for (let index = 0; cursor.nextElement(); index++) {
    const event = events[index];
    if (event === undefined) cursor.skip();
    else layOutEvent(cursor, event);
  }
}

function layOutEvent(cursor: JsonCursor, event: EventLayout): void {
  const start = cursor.at;
  let members = 0;
  event.authMembers = 0;
  event.metadataMembers = 0;
  event.cutStart = -1;
  cursor.deepest = 0;
  if (cursor.bytes[start] === OPEN_OBJECT) {
    cursor.enter();
    while (cursor.nextMember()) {
      members++;
      if (isNamed(cursor, 'auth', QUOTED_AUTH)) layOutAuth(cursor, event);
      else if (isNamed(cursor, 'metadata', QUOTED_METADATA)) {
        event.metadataMembers = countMembers(cursor);
      } else cursor.skip();
    }
  } else {
    cursor.skip();
  }
  event.start = start;
  event.end = cursor.at;
  event.members = members;
  event.tooDeep = cursor.deepest >= MAX_EVENT_DEPTH;
  if (event.cutStart === -1) {
    event.cutStart = event.end;
    event.cutEnd = event.end;
  }
}

/** The comma behind `auth` goes with it, or the one before it when `auth` stands last. */
function layOutAuth(cursor: JsonCursor, event: EventLayout): void {
  const { nameStart, comma } = cursor;
  event.authMembers = countMembers(cursor);
  let behind = cursor.at;
  while ((cursor.bytes[behind] as number) <= SPACE) behind++;
  if (cursor.bytes[behind] === COMMA) {
    event.cutStart = nameStart;
    event.cutEnd = behind + 1;
  } else {
    event.cutStart = comma === -1 ? nameStart : comma;
    event.cutEnd = cursor.at;
  }
}

/** How many members the object at hand has, 0 for another value; leaves the cursor behind it. */
function countMembers(cursor: JsonCursor): number {
  if (cursor.bytes[cursor.at] !== OPEN_OBJECT) {
    cursor.skip();
    return 0;
  }
  const deepestBefore = cursor.deepest;
  cursor.deepest = 0;
  let count = 0;
  cursor.enter();
  for (; cursor.nextMember(); count++) cursor.skip();
  cursor.deepest = Math.max(deepestBefore, cursor.deepest + 1);
  return count;
}

/** Whether the member at hand has this name, however it is written. */
function isNamed(cursor: JsonCursor, name: string, quotedLength: number): boolean {
  if (cursor.nameEscaped) return cursor.name() === name;
  const { nameStart } = cursor;
  if (cursor.nameEnd - nameStart !== quotedLength) return false;
  for (let at = 0; at < name.length; at++) {
    if (cursor.bytes[nameStart + 1 + at] !== name.charCodeAt(at)) return false;
  }
  return true;
}

const NONE: readonly string[] = Object.freeze([]);

/** How many members a parsed value has; 0 when it is no object. */
export function memberCount(value: unknown): number {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.keys(value).length
    : 0;
}

/**
 * The members that an event gives more than once, itself or in its `auth` or `metadata`, as paths.
 * `JSON.parse` has dropped all but the last of each, so fewer members than stand in the text tell
 * it at no cost. Inside `data` and extensions names may repeat: they are kept as sent.
 */
export function repeatedInEvent(
  bytes: Uint8Array,
  value: unknown,
  layout: EventLayout,
): readonly string[] {
  const event = value as Record<string, unknown>;
  if (
    layout.members === memberCount(value) &&
    (layout.authMembers === 0 || layout.authMembers === memberCount(event['auth'])) &&
    (layout.metadataMembers === 0 || layout.metadataMembers === memberCount(event['metadata']))
  ) {
    return NONE;
  }
  return repeatedPaths(new JsonCursor(bytes, layout.start), ['auth', 'metadata']);
}

/**
 * What the object that the cursor stands at gives more than once, and what its members with these
 * names do, as paths.
 */
export function repeatedPaths(cursor: JsonCursor, inside: readonly string[] = []): string[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const { bytes } = cursor;
  cursor.enter();
  while (cursor.nextMember()) {
    const name = cursor.name();
    if (seen.has(name)) repeated.add(shownName(name));
    else seen.add(name);
    if (inside.includes(name) && bytes[cursor.at] === OPEN_OBJECT) {
      for (const path of repeatedPaths(cursor)) repeated.add(`${name}.${path}`);
    } else {
      cursor.skip();
    }
  }
  return [...repeated];
}
