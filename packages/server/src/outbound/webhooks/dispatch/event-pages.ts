import type { EventQuery, EventStore } from '../../../storage/ports/index.ts';
import {
  newDelivery,
  newReplayedDelivery,
  type PendingDelivery,
} from '../deliveries/pending-delivery.ts';
import type { SharedCapacity } from './shared-capacity.ts';

/** The events that a subscription receives. `null`: all types or all sources. */
export interface SubscriptionFilter {
  readonly types: string[] | null;
  readonly sources: string[] | null;
}

export interface EventPage {
  readonly items: readonly PendingDelivery[];
  /** Position of the last event that was read, including events that do not match. */
  readonly through: number;
  readonly more: boolean;
}

const PAGE_EVENTS = 256;
const PAGE_BYTES = 1024 * 1024;

/**
 * @param replayFrom earliest time of receipt of the events to replay, in Unix milliseconds. `null`: creates deliveries of
 * new events.
 */
export function createPageReader(
  store: EventStore,
  capacity: SharedCapacity,
  spaceId: string,
  { types, sources }: SubscriptionFilter,
  replayFrom: number | null = null,
): (after: number) => Promise<EventPage> {
  const query: Omit<EventQuery, 'after' | 'limit'> = {
    spaceId,
    ...(types === null ? {} : { types }),
    ...(sources === null ? {} : { sources }),
    ...(replayFrom === null ? {} : { from: replayFrom }),
  };
  const create = replayFrom === null ? newDelivery : newReplayedDelivery;
  let limit = PAGE_EVENTS;
  return async (after) => {
    const page = await store.read({ ...query, after, limit: capacity.isMemoryFull ? 1 : limit });
    const items = page.events.map(create);
    const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
    // Limit the next page so that events of the same average size fit into PAGE_BYTES.
    const fitting = Math.floor((PAGE_BYTES * items.length) / Math.max(1, bytes));
    if (items.length > 0) limit = Math.min(PAGE_EVENTS, Math.max(1, fitting));
    return { items, through: page.through, more: page.more };
  };
}
