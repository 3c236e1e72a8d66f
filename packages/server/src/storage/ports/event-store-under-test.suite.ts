import type { EventStore } from './event-store.ts';

export interface OpenedEventStore extends AsyncDisposable {
  /** The current store. `reopen` replaces the object. */
  readonly events: EventStore;
  addSpace(): Promise<string>;
  dropSpace(spaceId: string): Promise<void>;
  reopen(): Promise<void>;
}

export interface EventStoreUnderTest {
  opened(): OpenedEventStore;
  newSpace(): Promise<{ readonly store: EventStore; readonly spaceId: string }>;
}
