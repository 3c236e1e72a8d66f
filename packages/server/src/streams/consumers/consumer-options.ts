import type { Clock } from '../../lib/scheduling/index.ts';
import type { EventPage, EventQuery, EventStore, Leases } from '../../storage/ports/index.ts';
import type { CursorRepository } from './cursor.repository.ts';

export interface ConsumerOptions {
  /** Names its cursors in the store and its job among processes, so it stays as it is for good. */
  readonly name: string;
  /** Where it begins when it is new; spaces that come after it are read from their beginning. */
  readonly startsAt: 'beginning' | 'newest';
  /** What it looks for; everything else is passed over. */
  readonly query?: Pick<
    EventQuery,
    'type' | 'source' | 'subject' | 'typePrefix' | 'feedsKnowledge'
  >;
  /** How many events at most it is given at once. */
  readonly pageSize: number;
  /** How many spaces it works on at once. */
  readonly spacesAtOnce: number;
  /** The longest pause of a space whose pages fail, milliseconds; a minute when it is not given. */
  readonly longestPauseMs?: number;
  /**
   * Does what is to be done with a page of a space's events, the oldest first; the cursor moves when it
   * resolves. A page comes again after a failure, and after a crash before the cursor was moved, perhaps
   * with more or fewer events in it: doing a thing twice must be as doing it once.
   */
  readonly handle: (
    spaceId: string,
    events: EventPage['events'],
    signal: AbortSignal,
  ) => Promise<void>;
  /** Hears of each page that failed; `failures` in a row. The space is tried again, later and later. */
  readonly onFailure: (error: unknown, spaceId: string, failures: number) => void;
}

export interface ConsumerDeps {
  readonly store: EventStore;
  readonly cursors: CursorRepository;
  readonly leases: Leases;
  readonly clock: Clock;
}
