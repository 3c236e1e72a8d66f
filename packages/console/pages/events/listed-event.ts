import type { FeedItem } from '@gatehouse/client';

/** The attributes of an event that a list shows. */
export interface ListedEvent {
  readonly receivedAt: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string | null;
}

/** Attributes may be megabytes long. A list and an address contain only their beginning. */
const MAX_LENGTH = 300;

/** Returns the attributes of an event, which may be shortened. */
export function toListed({ event, receivedAt }: FeedItem): ListedEvent {
  const { id, source, type, subject } = event;
  return {
    receivedAt,
    id: shortened(id),
    source: shortened(source),
    type: shortened(type),
    subject: subject === undefined ? null : shortened(subject),
  };
}

/** Returns the beginning of an attribute, which identifies it in a list and in an address. */
export function shortened(text: string): string {
  return text.slice(0, MAX_LENGTH);
}

/** Reports whether a shortened attribute may be incomplete. */
export function isShortened(text: string): boolean {
  return text.length >= MAX_LENGTH;
}
