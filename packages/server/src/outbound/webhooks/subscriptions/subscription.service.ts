import { randomUUID, randomUUIDv7 } from 'node:crypto';
import {
  KEEP_OLD_SECONDS,
  type NewSubscription,
  type SecretRotation,
  SUBSCRIPTION_EVENT_PREFIX,
  type Subscription,
  type SubscriptionChange,
  type SubscriptionTest,
  type SubscriptionWithSecret,
} from '@gatehouse/contract';
import { type Page, toPage } from '../../../http/index.ts';
import { forbidden, roleOnSpace, type SpaceAccess } from '../../../identity/index.ts';
import { newSecretText } from '../../../ingest/sources/index.ts';
import type { Clock } from '../../../lib/scheduling/index.ts';
import type { Sealer } from '../../../platform/secrets/index.ts';
import type { EventStore, JoinedWrites, SubscriptionRow } from '../../../storage/ports/index.ts';
import { type DeliveryRepository, NO_DELIVERIES } from '../deliveries/delivery.repository.ts';
import type { Dispatcher } from '../dispatch/dispatcher.service.ts';
import { messageOf } from '../dispatch/message.rules.ts';
import { failureOf } from '../dispatch/retry.rules.ts';
import type { WebhookSender } from '../sending/webhook-sender.ts';
import { noSuchSubscription, tooManySubscriptions } from '../webhooks.errors.ts';
import type { SubscriptionRepository, SubscriptionWrite } from './subscription.repository.ts';
import {
  formatSubscription,
  MAX_SUBSCRIPTIONS,
  NO_REPLAY,
  rotated,
  type StoredSecret,
  sealContext,
  secretsOf,
  signingKeys,
} from './subscription.rules.ts';

export interface SubscriptionServiceDeps {
  readonly subscriptions: SubscriptionRepository;
  readonly deliveries: DeliveryRepository;
  readonly dispatcher: Dispatcher;
  readonly store: EventStore;
  readonly sender: WebhookSender;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

export interface SubscriptionService {
  /** Returns the secret, which cannot be read again. Throws 409 if the space has too many subscriptions. */
  create(
    space: SpaceAccess,
    subscription: NewSubscription,
    joined: JoinedWrites<SubscriptionWithSecret>,
  ): Promise<SubscriptionWithSecret>;
  /** @param seesUrl `true` if the caller is an editor. Other callers see only the origins of URLs. */
  list(
    space: SpaceAccess,
    seesUrl: boolean,
    after: string | null,
    limit: number,
  ): Promise<Page<Subscription>>;
  /** Throws 404 if the subscription does not exist. All methods below do the same. */
  show(space: SpaceAccess, seesUrl: boolean, id: string): Promise<Subscription>;
  change(space: SpaceAccess, id: string, change: SubscriptionChange): Promise<Subscription>;
  /**
   * Returns the new secret, which cannot be read again. The previous secret also signs deliveries for `keepOldSeconds`.
   */
  rotate(space: SpaceAccess, id: string, rotation: SecretRotation): Promise<SubscriptionWithSecret>;
  /** Sends a test event and returns the result. A failed attempt does not throw. */
  test(space: SpaceAccess, id: string): Promise<SubscriptionTest>;
  remove(space: SpaceAccess, id: string): Promise<void>;
}

export function createSubscriptionService(deps: SubscriptionServiceDeps): SubscriptionService {
  const { subscriptions, deliveries, dispatcher, store, sealer, clock } = deps;

  async function find(space: SpaceAccess, givenId: string): Promise<SubscriptionRow> {
    const row = await subscriptions.find(space, givenId.toLowerCase());
    if (row === undefined) throw noSuchSubscription();
    return row;
  }

  async function formatAll(
    rows: readonly SubscriptionRow[],
    seesUrl: boolean,
  ): Promise<Subscription[]> {
    const [first] = rows;
    if (first === undefined) return [];
    const { space_id: spaceId } = first;
    // The positions are read first, so an event that becomes a waiting delivery meanwhile counts twice instead of not at all.
    const positions = new Map(rows.map((row) => [row.id, dispatcher.positionOf(row)]));
    const newest = await store.newest(spaceId);
    const totals = await deliveries.totalsOf(spaceId, [...positions.keys()]);
    const now = clock();
    return rows.map((row) => {
      const own = totals.get(row.id) ?? NO_DELIVERIES;
      const lag = Math.max(0, newest - (positions.get(row.id) ?? 0));
      const status = { lag, totals: own, held: dispatcher.heldBy(row, own) };
      return formatSubscription(row, status, now, seesUrl);
    });
  }

  async function show(space: SpaceAccess, seesUrl: boolean, id: string): Promise<Subscription> {
    const [shown] = await formatAll([await find(space, id)], seesUrl);
    if (shown === undefined) throw noSuchSubscription();
    return shown;
  }

  function toSecret(row: Pick<SubscriptionRow, 'space_id' | 'id'>, text: string): StoredSecret {
    return { sealed: sealer.seal(text, sealContext(row)), createdAt: clock(), endsAt: null };
  }

  return {
    show,
    create: async (
      space,
      { url, types = null, sources = null, secret = newSecretText() },
      joined,
    ) => {
      const { spaceId } = space;
      const named = { id: randomUUIDv7(), space_id: spaceId };
      const row: SubscriptionRow = {
        ...named,
        url: new URL(url).href,
        types: toText(types),
        sources: toText(sources),
        state: 'active',
        end_reason: null,
        secrets: JSON.stringify([toSecret(named, secret)]),
        revision: 0,
        deliveries_revision: 0,
        position: await store.newest(spaceId),
        last_delivered_at: null,
        last_failed_at: null,
        last_failed_status: null,
        last_failure: null,
        ...NO_REPLAY,
        created_at: clock(),
      };
      const status = { lag: 0, totals: NO_DELIVERIES, held: dispatcher.heldBy(row, NO_DELIVERIES) };
      const created = { ...formatSubscription(row, status, clock(), true), secret };
      const outcome = await subscriptions.insert(row, joined(created));
      if (outcome === 'no-space') throw forbidden(roleOnSpace('editor'));
      if (outcome === 'too-many') throw tooManySubscriptions(MAX_SUBSCRIPTIONS);
      await dispatcher.reload({ spaceId, subscriptionId: row.id });
      return created;
    },
    list: async (space, seesUrl, after, limit) => {
      const rows = await subscriptions.list(space, after, limit + 1);
      const shown = await formatAll(rows, seesUrl);
      return toPage(shown, limit, ({ id }) => id);
    },
    change: async (space, givenId, change) => {
      const id = givenId.toLowerCase();
      const retriesNow = change.url !== undefined || change.state === 'active';
      const write = toWrite(change);
      if (!(await subscriptions.change(space, id, write, retriesNow ? clock() : null)))
        throw noSuchSubscription();
      await dispatcher.reload({ spaceId: space.spaceId, subscriptionId: id });
      return show(space, true, id);
    },
    rotate: async (space, givenId, rotation) => {
      const { secret: text = newSecretText(), keepOldSeconds = KEEP_OLD_SECONDS } = rotation;
      const id = givenId.toLowerCase();
      const found = await subscriptions.setSecrets(space, id, (before) => {
        const secret = toSecret(before, text);
        return rotated(secretsOf(before), secret, secret.createdAt + keepOldSeconds * 1000);
      });
      if (!found) throw noSuchSubscription();
      await dispatcher.reload({ spaceId: space.spaceId, subscriptionId: id });
      return { ...(await show(space, true, id)), secret: text };
    },
    test: async (space, givenId) => {
      const row = await find(space, givenId);
      const id = `msg_${randomUUID().replaceAll('-', '')}`;
      const keys = signingKeys(row, sealer);
      if (keys.length === 0)
        return { delivered: false, status: null, message: dispatcher.heldBy(row, NO_DELIVERIES) };
      const target = deps.sender.open(row.url, space.spaceId);
      try {
        const event = testEvent(row, id, clock());
        const outcome = await target.post(messageOf(id, event, keys, clock()));
        const failure = failureOf(outcome, clock());
        const status = outcome.answered ? outcome.status : null;
        return { delivered: failure === null, status, message: failure?.message ?? null };
      } finally {
        target.close();
      }
    },
    remove: async (space, givenId) => {
      const id = givenId.toLowerCase();
      const removed = await subscriptions.remove(space, id);
      if (!removed) throw noSuchSubscription();
      dispatcher.remove({ spaceId: space.spaceId, subscriptionId: id });
    },
  };
}

function toText(patterns: readonly string[] | null): string | null {
  return patterns === null ? null : JSON.stringify(patterns);
}

function toWrite({ url, types, sources, state }: SubscriptionChange): SubscriptionWrite {
  return {
    ...(url === undefined ? {} : { url: new URL(url).href }),
    ...(types === undefined ? {} : { types: toText(types) }),
    ...(sources === undefined ? {} : { sources: toText(sources) }),
    ...(state === undefined ? {} : { state, end_reason: null }),
  };
}

function testEvent({ id: subscription, space_id }: SubscriptionRow, id: string, now: number) {
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: `urn:gatehouse:space:${space_id}`,
    type: `${SUBSCRIPTION_EVENT_PREFIX}test`,
    subject: subscription,
    time: new Date(now).toISOString(),
    datacontenttype: 'application/json',
    data: { subscription },
  });
}
