import { JsonCursor, shownName } from '../../lib/json/index.ts';

/** Maximum nesting depth of objects and arrays in one event, including the event itself. */
export const MAX_EVENT_DEPTH = 500;

const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const QUOTED_EVENTS = '"events"'.length;
const QUOTED_AUTH = '"auth"'.length;
const QUOTED_METADATA = '"metadata"'.length;

export class EventLayout {
  start = 0;
  /** Offset after the closing brace. */
  end = 0;
  /** Range of the `auth` member and one adjacent comma. Both offsets equal `end` if the event has no `auth`. */
  cutStart = 0;
  cutEnd = 0;
  /** Number of members including duplicates, or 0 if the value is not an object. */
  members = 0;
  authMembers = 0;
  metadataMembers = 0;
  tooDeep = false;
}

interface BatchLayout {
  /** Number of members including duplicates. */
  members: number;
  authMembers: number;
}

/**
 * Computes the layouts of the events of a batch in one pass, without allocating an object per event.
 *
 * @param bytes a valid JSON object.
 * @param events receives the layouts. Surplus elements of the batch are skipped.
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

export function layOutArray(bytes: Uint8Array, events: readonly EventLayout[]): void {
  layOutEvents(new JsonCursor(bytes), events);
}

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

/** The cut includes the comma after `auth`, or the comma before it if `auth` is the last member. */
function layOutAuth(cursor: JsonCursor, event: EventLayout): void {
  const { nameStart, comma } = cursor;
  event.authMembers = countMembers(cursor);
  let next = cursor.at;
  while ((cursor.bytes[next] as number) <= SPACE) next++;
  if (cursor.bytes[next] === COMMA) {
    event.cutStart = nameStart;
    event.cutEnd = next + 1;
  } else {
    event.cutStart = comma === -1 ? nameStart : comma;
    event.cutEnd = cursor.at;
  }
}

/** Returns the number of members of the current value, or 0 if the value is not an object. Moves the cursor past the value. */
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

/** Reports whether the current member has this name, including names written with escapes. */
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

export function memberCount(value: unknown): number {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.keys(value).length
    : 0;
}

/**
 * Returns the paths of duplicate members in an event, its `auth` and its `metadata`. `JSON.parse` keeps only the last
 * duplicate, so comparing member counts with the source text detects duplicates cheaply. Duplicates inside `data` and
 * extensions are allowed and stored as sent.
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

/** Returns the paths of duplicate members in the object at the cursor and in its members named in `inside`. */
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
