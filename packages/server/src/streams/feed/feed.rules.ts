import type { StoredEvent } from '../../storage/ports/index.ts';
import { invalidQuery } from './feed.errors.ts';

/** Returns a feed item as JSON. The event is the original text, because parsing and serialising could change it. */
export function toItem({ text, receivedAt }: Pick<StoredEvent, 'text' | 'receivedAt'>): string {
  return `{"event":${text},"receivedAt":"${new Date(receivedAt).toISOString()}"}`;
}

/** Encodes a position as an opaque cursor for clients. */
export function toCursor(position: number): string {
  return Buffer.from(String(position)).toString('base64url');
}

/**
 * Returns the position of a cursor, or 0 if the cursor is `undefined`. Throws `ApiError` 400 for an invalid cursor.
 *
 * @param name name of the parameter or header in the error message.
 */
export function positionOf(cursor: string | undefined, name = 'after'): number {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const position = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(position) || toCursor(position) !== cursor)
    throw invalidQuery(
      `${name}: is not a cursor of this feed; pass \`next\` or \`resume\` of a page, or the \`id\` of a stream message, unchanged`,
    );
  return position;
}
