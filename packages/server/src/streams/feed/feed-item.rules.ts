import type { StoredEvent } from '../../storage/ports/index.ts';

/** An item of the feed as JSON: the event is the text that was sent, which no parsing and printing could give back. */
export function toItem({ text, receivedAt }: Pick<StoredEvent, 'text' | 'receivedAt'>): string {
  return `{"event":${text},"receivedAt":"${new Date(receivedAt).toISOString()}"}`;
}
