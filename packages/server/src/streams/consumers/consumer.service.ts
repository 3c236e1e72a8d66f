import type { Clock } from '../../lib/scheduling/index.ts';
import { contextOf, inSpan } from '../../platform/traces/index.ts';
import type { Database, EventStore, Leases } from '../../storage/ports/index.ts';
import { type ConsumerOptions, ConsumerWork } from './consumer-work.ts';
import { createCursorRepository } from './cursor.repository.ts';

/** A named consumer of the events of all spaces, with one durable cursor per space. Only one process at a time runs a consumer. */
export interface Consumer {
  /** Starts consuming once no other process runs the consumer. */
  start(): Promise<void>;
  /** Returns the position up to which a space's events are processed or skipped. */
  position(spaceId: string): Promise<number>;
  /** Returns the number of unprocessed events, before filters, of each space in which the consumer lags. */
  lags(): Promise<ReadonlyMap<string, number>>;
  /** Stops the consumer. Resolves when no page is in flight. A later start continues at the cursors. */
  close(): Promise<void>;
}

/** A consumer as seen by retention and statistics. */
export interface RegisteredConsumer {
  readonly name: string;
  /** Returns the position up to which a space's events are processed or skipped, or `null` if the consumer does not read the space. */
  position(spaceId: string): Promise<number | null>;
  /**
   * Returns the position up to which the consumer can do without a space's events, even after a crash, or `null` if the consumer does not
   * read the space. Never higher than `position`.
   */
  releasedPosition(spaceId: string): Promise<number | null>;
}

/**
 * Creates durable consumers of the event log and lists all consumers.
 *
 * @example
 * ```ts
 * const consumer = consumers({
 *   name: 'billing',
 *   startsAt: 'newest',
 *   pageSize: 100,
 *   spacesAtOnce: 4,
 *   handle: async (spaceId, events) => forward(spaceId, events),
 *   onFailure: (error) => log.error(error),
 * });
 * await consumer.start();
 * ```
 */
export interface Consumers {
  (options: ConsumerOptions): Consumer;
  /** Registers a consumer that stores its own positions. */
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
    const { position } = consumer;
    // A position ahead of the stored cursor has only skipped events, which can be removed.
    all.push({ name: options.name, position, releasedPosition: position });
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
  const handle: ConsumerOptions['handle'] = (spaceId, events, signal) => {
    const attributes = {
      'messaging.batch.message_count': events.length,
      'messaging.consumer.group.name': name,
      'gatehouse.space.id': spaceId,
    };
    // A page can contain events of many requests, so it belongs to the trace of none of them.
    const parent = contextOf({});
    return inSpan(`process ${name}`, { kind: 'consumer', parent, attributes }, () =>
      options.handle(spaceId, events, signal),
    );
  };
  const cursors = createCursorRepository(db);
  const job = leases.job(name, (term) =>
    ConsumerWork.start({ store, cursors, clock }, { ...options, handle }, term),
  );
  const skipped = (spaceId: string) => job.work?.skipped(spaceId) ?? 0;

  return {
    start: async () => {
      // Registers before acquiring the job, so that all events that arrive after `start` resolves are processed.
      if (options.startsAt === 'newest') await cursors.register(name, await store.heads(), clock());
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
