import type { StoredEvent } from '../../storage/ports/index.ts';
import { toCursor, toItem } from '../feed/feed.rules.ts';

/** How long clients wait before they connect again, milliseconds. */
const RETRY_MS = 2000;

/**
 * What opens a stream. An event without data moves the place to resume from and is not told of, so that who
 * loses the connection before the first event loses nothing with it.
 */
export function opening(position: number): string {
  return `retry: ${RETRY_MS}\n${placeAt(position)}`;
}

/** Moves the place that a client resumes from. */
export function placeAt(position: number): string {
  return `id: ${toCursor(position)}\n\n`;
}

/** Why a stream ends, for whoever reads it with their own eyes: programs ask again and get it as an answer. */
export function closing(reason: string): string {
  return `: ${reason}\n\n`;
}

/** These events, one behind the other; null when there are none. */
export function toChunk(events: readonly StoredEvent[]): Uint8Array | null {
  return events.length === 0 ? null : Buffer.from(events.map(toEvent).join(''));
}

/**
 * A line break ends a line of data and is put together again by the client. Where the text that was sent has
 * a carriage return, which can only stand between values there, a client finds a line feed.
 */
function toEvent(event: StoredEvent): string {
  const item = toItem(event).replaceAll(/\r\n|\r|\n/g, '\ndata: ');
  return `id: ${toCursor(event.position)}\ndata: ${item}\n\n`;
}
