import type { Delivery, ListedDeliveryState } from '@gatehouse/contract';
import { type Page, toPage } from '../../../http/index.ts';
import type { SpaceAccess } from '../../../identity/index.ts';
import { type Clock, DAY_MS } from '../../../lib/scheduling/index.ts';
import type { Sealer } from '../../../platform/secrets/index.ts';
import type { EventStore } from '../../../storage/ports/index.ts';
import type { Dispatcher } from '../dispatch/dispatcher.service.ts';
import type { SubscriptionRepository } from '../subscriptions/subscription.repository.ts';
import { noShownDelivery, noSuchDelivery, noSuchSubscription } from '../webhooks.errors.ts';
import type { DeliveryRepository, SubscriptionKey } from './delivery.repository.ts';
import {
  deliveredCursor,
  formatDelivery,
  formatSuccessful,
  type OpenResponse,
  positionOf,
  responseContext,
} from './delivery.rules.ts';
import type { SuccessfulDeliveryRepository } from './successful-delivery.repository.ts';

export interface DeliveryServiceDeps {
  readonly subscriptions: SubscriptionRepository;
  readonly deliveries: DeliveryRepository;
  readonly successful: SuccessfulDeliveryRepository;
  readonly store: EventStore;
  readonly sealer: Sealer;
  /** Retention of successful deliveries in days. */
  readonly retentionDays: number;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
}

export interface DeliveryList {
  /** `null`: waiting and parked deliveries. */
  readonly state: ListedDeliveryState | null;
  readonly after: number | null;
  readonly limit: number;
}

/**
 * The deliveries of a subscription. All methods throw 404 if the subscription or delivery does not exist.
 *
 * The parameter `seesResponses` is `true` if the caller is an editor.
 */
export interface DeliveryService {
  list(
    space: SpaceAccess,
    subscriptionId: string,
    list: DeliveryList,
    seesResponses: boolean,
  ): Promise<Page<Delivery>>;
  /** Returns the delivery as JSON with the unchanged text of its event. */
  show(
    space: SpaceAccess,
    subscriptionId: string,
    id: string,
    seesResponses: boolean,
  ): Promise<string>;
  resend(space: SpaceAccess, subscriptionId: string, id: string): Promise<Delivery>;
  resendAll(space: SpaceAccess, subscriptionId: string): Promise<number>;
  remove(space: SpaceAccess, subscriptionId: string, id: string): Promise<void>;
}

export function createDeliveryService(deps: DeliveryServiceDeps): DeliveryService {
  const { subscriptions, deliveries, successful, dispatcher, clock } = deps;

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

  function openerOf(key: SubscriptionKey, seesResponses: boolean): OpenResponse {
    return seesResponses ? (sealed) => deps.sealer.open(sealed, responseContext(key)) : null;
  }

  /** Earliest time of the successful deliveries that are shown. Older ones may not have been removed yet. */
  function retainedSince(): number {
    return clock() - deps.retentionDays * DAY_MS;
  }

  /** Returns the text of an event, unless retention has removed it. */
  async function eventText({ spaceId }: SubscriptionKey, position: number) {
    const { events } = await deps.store.read({ spaceId, after: position - 1, limit: 1 });
    return events[0]?.position === position ? events[0].text : undefined;
  }

  async function shown(key: SubscriptionKey, position: number, open: OpenResponse) {
    const row = await deliveries.find(key, position);
    const texts = row === undefined ? undefined : await deliveries.texts(key, position);
    if (row !== undefined && texts !== undefined)
      return { delivery: formatDelivery(key.subscriptionId, row, open), text: texts.text };
    const delivered = await successful.find(key, position, retainedSince());
    const text = delivered === undefined ? undefined : await eventText(key, position);
    if (delivered === undefined || text === undefined) throw noShownDelivery();
    return { delivery: formatSuccessful(key.subscriptionId, delivered, open), text };
  }

  return {
    list: async (space, subscriptionId, { state, after, limit }, seesResponses) => {
      const key = await keyOf(space, subscriptionId);
      const open = openerOf(key, seesResponses);
      if (state === 'delivered') {
        const rows = await successful.list(key, after, retainedSince(), limit + 1);
        const format = (row: (typeof rows)[number]) =>
          formatSuccessful(key.subscriptionId, row, open);
        return toPage(rows, limit, deliveredCursor, format);
      }
      const rows = await deliveries.list(key, state, after, limit + 1);
      const format = (row: (typeof rows)[number]) => formatDelivery(key.subscriptionId, row, open);
      return toPage(rows, limit, ({ position }) => String(position), format);
    },
    show: async (space, subscriptionId, id, seesResponses) => {
      const key = await keyOf(space, subscriptionId);
      const position = positionOf(id, key.subscriptionId);
      if (position === null) throw noShownDelivery();
      const { delivery, text } = await shown(key, position, openerOf(key, seesResponses));
      return `${JSON.stringify(delivery).slice(0, -1)},"event":${text}}`;
    },
    resend: async (space, subscriptionId, id) => {
      const key = await keyOf(space, subscriptionId);
      const row = await find(key, id);
      const now = clock();
      const resent =
        (await deliveries.retryNow(key, row.position, now)) ??
        (await deliveries.unpark(key, [row.position], now))[0];
      if (resent === undefined) throw noSuchDelivery();
      await dispatcher.sync(key, row.position);
      const { attempt_log } = row;
      return formatDelivery(key.subscriptionId, { ...resent, attempt_log }, openerOf(key, true));
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
