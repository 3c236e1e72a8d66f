import type { EventQuery, EventStore } from '../ports/event-store.ts';
import { createMatcher, theOnly, type Wanted } from './matching.rules.ts';
import { factsOf, newDelivery, type PendingDelivery } from './pending.ts';
import type { Shares } from './shares.ts';

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
  wanted: Wanted,
): (after: number) => Promise<Intake> {
  const matches = createMatcher(wanted);
  const [type, source] = [theOnly(wanted.types), theOnly(wanted.sources)];
  const query: Omit<EventQuery, 'after' | 'limit'> = {
    spaceId,
    ...(type === undefined ? {} : { type }),
    ...(source === undefined ? {} : { source }),
  };
  let limit = PAGE_EVENTS;
  return async (after) => {
    const page = await store.read({ ...query, after, limit: shares.isFull ? 1 : limit });
    const read = page.events.map((event) => newDelivery(factsOf(event), event.text));
    const bytes = read.reduce((sum, item) => sum + item.bytes, 0);
    // Long events come a few at a time.
    const few = Math.floor((PAGE_BYTES * read.length) / Math.max(1, bytes));
    if (read.length > 0) limit = Math.min(PAGE_EVENTS, Math.max(1, few));
    return {
      items: read.filter((item) => matches(item.type, item.source)),
      through: page.through,
      more: page.more,
    };
  };
}
