import type { EventQuery, EventStore } from '../../../storage/ports/index.ts';
import { factsOf, newDelivery, type PendingDelivery } from '../deliveries/pending.ts';
import type { Shares } from './shares.ts';

/** Which events a subscription asks for; null: all. See `EventFilter`. */
export interface Wanted {
  readonly types: string[] | null;
  readonly sources: string[] | null;
}

export interface Intake {
  /** What was asked for of the events behind a position. */
  readonly items: readonly PendingDelivery[];
  /** Everything up to here was looked at. */
  readonly through: number;
  /** Whether there is more behind it. */
  readonly more: boolean;
}

const PAGE_EVENTS = 256;
const PAGE_BYTES = 1024 * 1024;

/** Reads the events that a subscription asks for, a page at a time. */
export function createIntake(
  store: EventStore,
  shares: Shares,
  spaceId: string,
  { types, sources }: Wanted,
): (after: number) => Promise<Intake> {
  const query: Omit<EventQuery, 'after' | 'limit'> = {
    spaceId,
    ...(types === null ? {} : { types }),
    ...(sources === null ? {} : { sources }),
  };
  let limit = PAGE_EVENTS;
  return async (after) => {
    const page = await store.read({ ...query, after, limit: shares.isFull ? 1 : limit });
    const items = page.events.map((event) => newDelivery(factsOf(event), event.text));
    const bytes = items.reduce((sum, item) => sum + item.bytes, 0);
    // Long events come a few at a time.
    const few = Math.floor((PAGE_BYTES * items.length) / Math.max(1, bytes));
    if (items.length > 0) limit = Math.min(PAGE_EVENTS, Math.max(1, few));
    return { items, through: page.through, more: page.more };
  };
}
