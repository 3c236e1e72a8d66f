import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { SpaceAccess } from '../../../identity/index.ts';
import { newSecretText } from '../../../ingest/sources/index.ts';
import { createSealer } from '../../../platform/secrets/index.ts';
import { newStoreLocation, type StoreLocation } from '../../../storage/open-store.suite.ts';
import { addSpace } from '../../../storage/ports/add-space.suite.ts';
import { batchOf, type SentEvent } from '../../../storage/ports/event-batch.suite.ts';
import type { Store } from '../../../storage/ports/store.ts';
import { createSaveCheckpoint } from '../deliveries/checkpoint.repository.ts';
import {
  createDeliveryRepository,
  type SubscriptionKey,
} from '../deliveries/delivery.repository.ts';
import { createSuccessfulDeliveryRepository } from '../deliveries/successful-delivery.repository.ts';
import type { WebhookOutcome, WebhookSender } from '../sending/webhook-sender.ts';
import { createSubscriptionRepository } from '../subscriptions/subscription.repository.ts';
import { NO_REPLAY, type StoredSecret, sealContext } from '../subscriptions/subscription.rules.ts';
import type { DeliveryEvent } from './dispatch-job.ts';
import { createDispatcher, type DispatcherDeps } from './dispatcher.service.ts';

export const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
export const ACCESS = { spaceId: SPACE } as SpaceAccess;

export interface Arrival {
  readonly id: string;
  readonly subject?: string;
}

export const status = (code: number): WebhookOutcome => ({
  answered: true,
  status: code,
  retryAfter: null,
});

type Answer = (arrival: Arrival) => WebhookOutcome | Promise<WebhookOutcome>;

export function createTarget(answer: Answer = () => status(204)) {
  const arrivals: Arrival[] = [];
  const target = { answer, arrivals, ids: () => arrivals.map(({ id }) => id) };
  const sender: WebhookSender = {
    refusalOf: () => null,
    open: () => {
      let isOpen = true;
      return {
        post: async ({ body }) => {
          const arrival = JSON.parse(Buffer.from(body).toString()) as Arrival;
          arrivals.push(arrival);
          const outcome = await target.answer(arrival);
          return isOpen ? outcome : { answered: false, problem: 'aborted' };
        },
        close: () => {
          isOpen = false;
        },
      };
    },
  };
  return Object.assign(target, { sender });
}

export async function openDispatch(
  deps: Pick<DispatcherDeps, 'sender'> & Partial<DispatcherDeps>,
  given?: StoreLocation,
) {
  await using stack = new AsyncDisposableStack();
  const location = stack.use(given ?? (await newStoreLocation()));
  const store: Store = stack.use(await location.open());
  await addSpace(store, SPACE);
  const sealer = createSealer(randomBytes(32), 'subscriptions');
  const subscriptions = createSubscriptionRepository(store.db);
  const deliveries = createDeliveryRepository(store.db);
  const events: DeliveryEvent[] = [];
  const clock = { now: Date.UTC(2026, 9, 18) };
  const allDeps: DispatcherDeps = {
    store: store.events,
    leases: store.leases,
    subscriptions,
    deliveries,
    successful: createSuccessfulDeliveryRepository(store.db),
    retentionDays: 7,
    save: createSaveCheckpoint(store.db, store.writeAtomically),
    sealer,
    clock: () => clock.now,
    random: Math.random,
    count: () => {},
    onEvent: (event) => events.push(event),
    ...deps,
  };
  const dispatcher = createDispatcher(allDeps);
  stack.defer(() => dispatcher.close());

  function sealedSecrets(key: SubscriptionKey, secretSealer = sealer): string {
    const context = sealContext({ space_id: key.spaceId, id: key.subscriptionId });
    const sealed = secretSealer.seal(newSecretText(), context);
    return JSON.stringify([{ sealed, createdAt: 1, endsAt: null }]);
  }

  async function subscribe(secretSealer = sealer): Promise<SubscriptionKey> {
    const key = { spaceId: SPACE, subscriptionId: randomUUIDv7() };
    await subscriptions.insert(
      {
        id: key.subscriptionId,
        space_id: SPACE,
        url: 'https://a.example/',
        types: null,
        sources: null,
        state: 'active',
        end_reason: null,
        secrets: sealedSecrets(key, secretSealer),
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
    return key;
  }

  async function giveNewSecret(key: SubscriptionKey, secretSealer = sealer): Promise<void> {
    const secrets = JSON.parse(sealedSecrets(key, secretSealer)) as StoredSecret[];
    await subscriptions.setSecrets(ACCESS, key.subscriptionId, () => secrets);
  }

  const opened = stack.move();
  return {
    deps: allDeps,
    store,
    subscriptions,
    deliveries,
    dispatcher,
    events,
    clock,
    subscribe,
    giveNewSecret,
    append: (...sent: SentEvent[]) => store.events.append([batchOf(SPACE, sent)]),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
