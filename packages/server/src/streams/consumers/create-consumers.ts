import type { Clock } from '../../lib/scheduling/index.ts';
import type { Database, EventStore, Leases } from '../../storage/ports/index.ts';
import { type Consumer, createConsumer } from './consumer.service.ts';
import type { ConsumerOptions } from './consumer-options.ts';
import { createCursorRepository } from './cursor.repository.ts';

export interface ConsumersDeps {
  readonly db: Database;
  readonly store: EventStore;
  readonly leases: Leases;
  readonly clock: Clock;
}

/** Whoever reads the events of all spaces, with a durable place in each. */
export interface RegisteredConsumer {
  readonly name: string;
  /** Everything in the space's feed up to here is behind it; null when it does not read the space. */
  position(spaceId: string): Promise<number | null>;
}

/** Makes durable consumers of the event log, and knows all there are. */
export interface Consumers {
  (options: ConsumerOptions): Consumer;
  /** Enters one that keeps its places by itself; those that are made here are entered already. */
  register(consumer: RegisteredConsumer): void;
  all(): readonly RegisteredConsumer[];
}

export function createConsumers({ db, store, leases, clock }: ConsumersDeps): Consumers {
  const cursors = createCursorRepository(db);
  const all: RegisteredConsumer[] = [];
  const create = (options: ConsumerOptions) => {
    const consumer = createConsumer({ store, cursors, leases, clock }, options);
    all.push({ name: options.name, position: consumer.position });
    return consumer;
  };
  return Object.assign(create, {
    register: (consumer: RegisteredConsumer) => void all.push(consumer),
    all: () => all,
  });
}
