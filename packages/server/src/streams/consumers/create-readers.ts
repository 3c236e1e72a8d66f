import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database, EventStore, Leases } from '../../storage/ports/index.ts';
import { createCursorRepository } from './cursor.repository.ts';
import { createEventReader, type EventReader } from './event-reader.service.ts';
import type { EventReaderOptions } from './event-reader-options.ts';

export interface ReadersDeps {
  readonly db: Database;
  readonly store: EventStore;
  readonly leases: Leases;
  readonly clock: Clock;
}

/** Whoever reads the events of all spaces, with a durable place in each. */
export interface RegisteredReader {
  readonly name: string;
  /** Everything in the space's feed up to here is behind it; null when it does not read the space. */
  position(spaceId: string): Promise<number | null>;
}

/** Makes durable readers of the event log, and knows all there are. */
export interface Readers {
  (options: EventReaderOptions): EventReader;
  /** Enters one that keeps its places by itself; those that are made here are entered already. */
  register(reader: RegisteredReader): void;
  all(): readonly RegisteredReader[];
}

export function createReaders({ db, store, leases, clock }: ReadersDeps): Readers {
  const cursors = createCursorRepository(db);
  const all: RegisteredReader[] = [];
  const create = (options: EventReaderOptions) => {
    const reader = createEventReader({ store, cursors, leases, clock }, options);
    all.push({ name: options.name, position: reader.position });
    return reader;
  };
  return Object.assign(create, {
    register: (reader: RegisteredReader) => void all.push(reader),
    all: () => all,
  });
}
