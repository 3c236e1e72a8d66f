import type { FeedItem } from '@gatehouse/client';
import { shortened } from '../../components/shortened.ts';

/** The attributes of an event that a list shows. */
export interface ListedEvent {
  readonly receivedAt: string;
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string | null;
}

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
