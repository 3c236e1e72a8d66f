import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database, EventStore, Leases } from '../../storage/ports/index.ts';
import { type ConsumerOptions, ConsumerWork } from './consumer-work.ts';
import { createCursorRepository } from './cursor.repository.ts';

/** A named consumer of all spaces' events, with one durable cursor per space. One process at a time does its work. */
export interface Consumer {
  /** Starts consuming as soon as no other process does. */
  start(): Promise<void>;
  /** Returns the position up to which a space's events are processed or skipped. */
  position(spaceId: string): Promise<number>;
  /** Returns the number of events after the cursor, before filters, for each space in which the consumer lags. */
  lags(): Promise<ReadonlyMap<string, number>>;
  /** Resolves when no page is in flight. The next start continues. */
  close(): Promise<void>;
}

/** A reader of all spaces' events, as retention and statistics see it. */
export interface RegisteredConsumer {
  readonly name: string;
  /** Returns the position up to which a space's events are processed, or null if the consumer does not read the space. */
  position(spaceId: string): Promise<number | null>;
}

/** Creates durable consumers of the event log and lists all that exist. */
export interface Consumers {
  (options: ConsumerOptions): Consumer;
  /** Adds a consumer that stores its own positions. */
  register(consumer: RegisteredConsumer): void;
  all(): readonly RegisteredConsumer[];
}

export interface ConsumersDeps {
  readonly db: Database;
  readonly store: EventStore;
  readonly leases: Leases;
  readonly clock: Clock;
}

export function createConsumers(deps: ConsumersDeps): Consumers {
  const all: RegisteredConsumer[] = [];
  const create = (options: ConsumerOptions) => {
    const consumer = createConsumer(deps, options);
    all.push({ name: options.name, position: consumer.position });
    return consumer;
  };
  return Object.assign(create, {
    register: (consumer: RegisteredConsumer) => void all.push(consumer),
    all: () => all,
  });
}

function createConsumer(
  { db, store, leases, clock }: ConsumersDeps,
  options: ConsumerOptions,
): Consumer {
  const { name } = options;
  const cursors = createCursorRepository(db);
  const job = leases.job(name, (term) =>
    ConsumerWork.start({ store, cursors, clock }, options, term),
  );
  const skipped = (spaceId: string) => job.work?.skipped(spaceId) ?? 0;

  return {
    start: async () => {
      // Before this process holds the job: events that arrive once it is ready must be processed.
      if (options.startsAt === 'newest') await cursors.enter(name, await store.heads(), clock());
      await job.start();
    },
    position: async (spaceId) =>
      Math.max((await cursors.read(spaceId, name)) ?? 0, skipped(spaceId)),
    lags: async () => {
      const [heads, stored] = [await store.heads(), await cursors.all(name)];
      const lags = [...heads].map(([spaceId, newest]) => {
        const position = Math.max(stored.get(spaceId) ?? 0, skipped(spaceId));
        return [spaceId, newest - position] as const;
      });
      return new Map(lags.filter(([, lag]) => lag > 0));
    },
    close: async () => job[Symbol.asyncDispose](),
  };
}
