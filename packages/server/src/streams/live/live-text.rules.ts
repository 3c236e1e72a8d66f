import type { StoredEvent } from '../../storage/ports/index.ts';
import { toCursor, toItem } from '../feed/feed.rules.ts';

/** Delay before clients reconnect, in milliseconds. */
const RETRY_MS = 2000;

/**
 * Returns the start of a stream. The start contains an event without data. The client stores the position of this event
 * but does not dispatch the event. A client that disconnects before the first real event then resumes at this position
 * and misses nothing.
 */
export function opening(position: number): string {
  return `retry: ${RETRY_MS}\n${resumeAt(position)}`;
}

export function resumeAt(position: number): string {
  return `id: ${toCursor(position)}\n\n`;
}

/** Returns a comment with the reason why the stream ends. Clients get the reason as an error when they reconnect. */
export function closing(reason: string): string {
  return `: ${reason}\n\n`;
}

/** Returns the events as one chunk, or `null` if there are none. */
export function toChunk(events: readonly StoredEvent[]): Uint8Array | null {
  return events.length === 0 ? null : Buffer.from(events.map(toEvent).join(''));
}

/**
 * Splits the text into one `data` line per line. Clients join the lines with line feeds, so a carriage return, which JSON allows only
 * between tokens, becomes a line feed.
 */
function toEvent(event: StoredEvent): string {
  const item = toItem(event).replaceAll(/\r\n|\r|\n/g, '\ndata: ');
  return `id: ${toCursor(event.position)}\ndata: ${item}\n\n`;
}
