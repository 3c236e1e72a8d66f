import type { StoredEvent } from '../../storage/ports/index.ts';
import { invalidQuery } from './feed.errors.ts';

/** An item of the feed as JSON: the event is the text that was sent, which no parsing and printing could give back. */
export function toItem({ text, receivedAt }: Pick<StoredEvent, 'text' | 'receivedAt'>): string {
  return `{"event":${text},"receivedAt":"${new Date(receivedAt).toISOString()}"}`;
}

/** A position in a feed as clients see it: opaque, so that nobody computes with it. */
export function toCursor(position: number): string {
  return Buffer.from(String(position)).toString('base64url');
}

/**
 * The position of a cursor, 0 when there is none. Throws `ApiError` 400 when it is no cursor.
 *
 * @param name where it stands in the request.
 */
export function positionOf(cursor: string | undefined, name = 'after'): number {
  if (cursor === undefined) return 0;
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const position = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(position) || toCursor(position) !== cursor)
    throw invalidQuery(
      `${name}: is not a cursor of this feed; pass \`next\` or \`resume\` of a page, or the id of an event of the stream, as it is`,
    );
  return position;
}
