import type { EventStore } from './event-store.ts';

/** A store of an adapter, opened for the suite. */
export interface OpenedEventStore extends AsyncDisposable {
  /** Another object after `reopen`. */
  readonly events: EventStore;
  /** Makes a space; gives its id. */
  addSpace(): Promise<string>;
  /** Removes the row of a space. */
  dropSpace(spaceId: string): Promise<void>;
  /** Closes the store and opens it again. */
  reopen(): Promise<void>;
}

/** What the tests of a store are given. */
export interface EventStoreUnderTest {
  /** The store as it is now; another object after it was reopened. */
  opened(): OpenedEventStore;
  /** The store with a new space. */
  given(): Promise<{ readonly store: EventStore; readonly spaceId: string }>;
}
