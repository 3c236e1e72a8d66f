import type { Clock } from '../ports/clock.ts';
import type { Database } from '../ports/database.ts';
import type { EventStore } from '../ports/event-store.ts';
import { createCursorRepository } from './cursor.repository.ts';
import {
  createEventReader,
  type EventReader,
  type EventReaderOptions,
} from './event-reader.service.ts';

export interface ReadersDeps {
  readonly db: Database;
  readonly store: EventStore;
  readonly clock: Clock;
}

/** Makes durable readers of the event log. */
export type Readers = (options: EventReaderOptions) => EventReader;

export function createReaders({ db, store, clock }: ReadersDeps): Readers {
  const cursors = createCursorRepository(db);
  return (options) => createEventReader({ store, cursors, clock }, options);
}
