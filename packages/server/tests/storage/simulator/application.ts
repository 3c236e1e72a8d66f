import { createHash } from 'node:crypto';
import { createIdempotency } from '../../../src/http/idempotency/index.ts';
import { newSecretText } from '../../../src/ingest/sources/index.ts';
import { createDocumentChanges } from '../../../src/knowledge/documents/document-changes.repository.ts';
import { createKeyedLinks } from '../../../src/links/links/keyed-link.repository.ts';
import { createLinkRepository } from '../../../src/links/links/link.repository.ts';
import { createSaveCheckpoint } from '../../../src/outbound/webhooks/deliveries/checkpoint.repository.ts';
import { createDeliveryRepository } from '../../../src/outbound/webhooks/deliveries/delivery.repository.ts';
import { createSuccessfulDeliveryRepository } from '../../../src/outbound/webhooks/deliveries/successful-delivery.repository.ts';
import { createDispatcher } from '../../../src/outbound/webhooks/dispatch/dispatcher.service.ts';
import type { WebhookSender } from '../../../src/outbound/webhooks/sending/webhook-sender.ts';
import { createSubscriptionRepository } from '../../../src/outbound/webhooks/subscriptions/subscription.repository.ts';
import {
  NO_REPLAY,
  sealContext,
} from '../../../src/outbound/webhooks/subscriptions/subscription.rules.ts';
import { createSealer } from '../../../src/platform/secrets/index.ts';
import type { Store } from '../../../src/storage/ports/index.ts';
import type { ConsumerOptions } from '../../../src/streams/consumers/consumer-work.ts';
import { createConsumers } from '../../../src/streams/consumers/index.ts';
import { createRetention } from '../../../src/streams/retention/index.ts';
import { QUIET_SPACE, SPACES } from './history.ts';
import { PROCESSED_TYPE } from './oracle.ts';
import { scheduler } from './os/scheduler.ts';

const SECRET = createHash('sha256').update('simulator').digest();
const SEALER = createSealer(SECRET, 'subscriptions');
const clock = () => scheduler.now;

export const CONSUMER = 'simulated';

export interface ApplicationDeps {
  readonly openStore: () => Promise<Store>;
  readonly handle: ConsumerOptions['handle'];
  /** Receives the text of a delivered event. Returns the status of the response, or 0 if there is none. */
  readonly receive: (spaceId: string, text: string) => number;
}

export type Application = Awaited<ReturnType<typeof openApplication>>;

/** Opens the store and starts the background work that processes events, as the service does. */
export async function openApplication({ openStore, handle, receive }: ApplicationDeps) {
  await using stack = new AsyncDisposableStack();
  const store = stack.use(await openStore());
  const { db, events, leases } = store;
  const sender: WebhookSender = {
    refusalOf: () => null,
    open: (url) => ({
      post: async ({ body }) => {
        const status = receive(new URL(url).hostname, Buffer.from(body).toString());
        if (status === 0) return { answered: false, problem: 'no answer' };
        return { answered: true, status, retryAfter: null };
      },
      close: () => {},
    }),
  };
  const consumers = createConsumers({ db, store: events, leases, clock });
  const consumer = consumers({
    name: CONSUMER,
    startsAt: 'beginning',
    query: { type: PROCESSED_TYPE },
    pageSize: 3,
    spacesAtOnce: 2,
    handle,
    onFailure: () => {},
  });
  const subscriptions = createSubscriptionRepository(db);
  const dispatcher = createDispatcher({
    store: events,
    leases,
    subscriptions,
    deliveries: createDeliveryRepository(db),
    successful: createSuccessfulDeliveryRepository(db),
    retentionDays: 7,
    save: createSaveCheckpoint(db, store.writeAtomically),
    sealer: SEALER,
    clock,
    random: () => 0.5,
    count: () => {},
    onEvent: () => {},
    sender,
  });
  consumers.register({
    name: 'deliveries',
    position: dispatcher.position,
    releasedPosition: subscriptions.lowestPosition,
  });
  const retention = createRetention({
    db,
    store: events,
    leases,
    consumers,
    clock,
    defaults: { maxAgeDays: null, maxBytes: null },
    count: () => {},
    onError: () => {},
  });
  const idempotency = createIdempotency({
    db,
    resources: createKeyedLinks(db),
    semaphores: store.shared.semaphores,
    leases,
    clock,
    secret: SECRET,
    maxPerCaller: 0,
    isAlone: store.isExclusive,
    onError: () => {},
  });
  stack.defer(() => consumer.close());
  await consumer.start();
  stack.defer(() => dispatcher.close());
  await dispatcher.start();
  stack.use(retention);
  await retention.start();
  const opened = stack.move();
  return {
    store,
    retention,
    idempotency,
    links: createLinkRepository(db),
    documents: createDocumentChanges(store.knowledge),
    stop: () => opened.disposeAsync(),
  };
}

/** Creates the rows that every history starts with. */
export async function addFixtures({ store }: Application): Promise<void> {
  const subscriptions = createSubscriptionRepository(store.db);
  for (const space of SPACES) {
    const id = `subscription-${space}`;
    await store.db.insertInto('spaces').values({ id: space, name: space, created_at: 1 }).execute();
    await store.db
      .insertInto('bots')
      .values({ space_id: space, name: 'bot', suggestions: '[]', created_at: 1 })
      .execute();
    if (space === QUIET_SPACE) continue;
    const sealed = SEALER.seal(newSecretText(), sealContext({ space_id: space, id }));
    await subscriptions.insert(
      {
        id,
        space_id: space,
        url: `https://${space}/`,
        types: null,
        sources: null,
        state: 'active',
        end_reason: null,
        secrets: JSON.stringify([{ sealed, createdAt: 1, endsAt: null }]),
        revision: 0,
        deliveries_revision: 0,
        position: 0,
        last_delivered_at: null,
        last_failed_at: null,
        last_failed_status: null,
        last_failure: null,
        ...NO_REPLAY,
        created_at: 1,
      },
      [],
    );
  }
}
