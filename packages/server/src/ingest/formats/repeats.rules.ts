import { JsonCursor, shownName } from '../../lib/json/index.ts';
import type { EventLayout } from './batch-layout.rules.ts';

const OPEN_OBJECT = 0x7b;
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
