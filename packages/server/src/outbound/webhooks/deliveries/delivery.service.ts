import type { Delivery, DeliveryState } from '@gatehouse/contract';
import { type Page, toPage } from '../../../http/index.ts';
import type { SpaceAccess } from '../../../identity/index.ts';
import type { Clock } from '../../../lib/scheduling/index.ts';
import type { Dispatcher } from '../dispatch/dispatcher.service.ts';
import type { SubscriptionRepository } from '../subscriptions/subscription.repository.ts';
import { noSuchDelivery, noSuchSubscription } from '../webhooks.errors.ts';
import type { DeliveryRepository, SubscriptionKey } from './delivery.repository.ts';
import { formatDelivery, positionOf } from './delivery.rules.ts';

export interface DeliveryServiceDeps {
  readonly subscriptions: SubscriptionRepository;
  readonly deliveries: DeliveryRepository;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
}

/** Waiting and parked deliveries. All methods throw 404 if the subscription or delivery does not exist. */
export interface DeliveryService {
  list(
    space: SpaceAccess,
    subscriptionId: string,
    state: DeliveryState | null,
    after: number | null,
    limit: number,
  ): Promise<Page<Delivery>>;
  /** Returns the delivery as JSON with the unchanged text of its event. */
  show(space: SpaceAccess, subscriptionId: string, id: string): Promise<string>;
  resend(space: SpaceAccess, subscriptionId: string, id: string): Promise<Delivery>;
  resendAll(space: SpaceAccess, subscriptionId: string): Promise<number>;
  remove(space: SpaceAccess, subscriptionId: string, id: string): Promise<void>;
}

export function createDeliveryService(deps: DeliveryServiceDeps): DeliveryService {
  const { subscriptions, deliveries, dispatcher, clock } = deps;

  async function keyOf(space: SpaceAccess, givenId: string): Promise<SubscriptionKey> {
    const row = await subscriptions.find(space, givenId.toLowerCase());
    if (row === undefined) throw noSuchSubscription();
    return { spaceId: space.spaceId, subscriptionId: row.id };
  }

  async function find(key: SubscriptionKey, id: string) {
    const position = positionOf(id, key.subscriptionId);
    const row = position === null ? undefined : await deliveries.find(key, position);
    if (row === undefined) throw noSuchDelivery();
    return row;
  }

  return {
    list: async (space, subscriptionId, state, after, limit) => {
      const key = await keyOf(space, subscriptionId);
      const rows = await deliveries.list(key, state, after, limit + 1);
      const format = (row: (typeof rows)[number]) => formatDelivery(key.subscriptionId, row);
      return toPage(rows, limit, ({ position }) => String(position), format);
    },
    show: async (space, subscriptionId, id) => {
      const key = await keyOf(space, subscriptionId);
      const row = await find(key, id);
      const text = await deliveries.text(key, row.position);
      if (text === undefined) throw noSuchDelivery();
      const shown = JSON.stringify(formatDelivery(key.subscriptionId, row));
      return `${shown.slice(0, -1)},"event":${text}}`;
    },
    resend: async (space, subscriptionId, id) => {
      const key = await keyOf(space, subscriptionId);
      const row = await find(key, id);
      const now = clock();
      const resent =
        row.state === 'waiting'
          ? await deliveries.retryNow(key, row.position, now)
          : (await deliveries.unpark(key, row.position, now))[0];
      if (resent === undefined) throw noSuchDelivery();
      await dispatcher.sync(key, row.position);
      return formatDelivery(key.subscriptionId, resent);
    },
    resendAll: async (space, subscriptionId) => {
      const key = await keyOf(space, subscriptionId);
      const unparked = await deliveries.unpark(key, null, clock());
      if (unparked.length > 0) await dispatcher.sync(key, null);
      return unparked.length;
    },
    remove: async (space, subscriptionId, id) => {
      const key = await keyOf(space, subscriptionId);
      const { position } = await find(key, id);
      if (!(await deliveries.remove(key, position))) throw noSuchDelivery();
      await dispatcher.sync(key, position);
    },
  };
}
