import type { EventQuery, EventStore } from '../../../storage/ports/index.ts';
import { newDelivery, type PendingDelivery } from '../deliveries/pending-delivery.ts';
import type { SharedCapacity } from './shared-capacity.ts';

/** The events that a subscription receives; null for all. See `EventFilter`. */
export interface SubscriptionFilter {
  readonly types: string[] | null;
  readonly sources: string[] | null;
}

export interface EventPage {
  /** Deliveries of the matching events. */
  readonly items: readonly PendingDelivery[];
  /** Last position that was read, matching or not. */
  readonly through: number;
  readonly more: boolean;
}

const PAGE_EVENTS = 256;
const PAGE_BYTES = 1024 * 1024;

/** Returns a function that reads the page of matching events after a position. */
export function createPageReader(
  store: EventStore,
  capacity: SharedCapacity,
  spaceId: string,
  { types, sources }: SubscriptionFilter,
): (after: number) => Promise<EventPage> {
  const query: Omit<EventQuery, 'after' | 'limit'> = {
    spaceId,
    ...(types === null ? {} : { types }),
    ...(sources === null ? {} : { sources }),
  };
  let limit = PAGE_EVENTS;
  return async (after) => {
    const page = await store.read({ ...query, after, limit: capacity.isMemoryFull ? 1 : limit });
    const items = page.events.map(newDelivery);
    const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
    // The next page has as many events of this average size as fit.
    const fitting = Math.floor((PAGE_BYTES * items.length) / Math.max(1, bytes));
    if (items.length > 0) limit = Math.min(PAGE_EVENTS, Math.max(1, fitting));
    return { items, through: page.through, more: page.more };
  };
}
