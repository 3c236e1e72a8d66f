import { Turns } from '../background/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { SubscriptionRow } from '../ports/database.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import type { Sealer } from '../sources/index.ts';
import { MAX_KEPT } from './backlog.ts';
import type { CountDeliveries } from './deliveries.metrics.ts';
import type { DeliveryRepository, SubscriptionKey, Totals } from './delivery.repository.ts';
import { Outbox } from './outbox.ts';
import type { SaveProgress } from './progress.repository.ts';
import { Served } from './served.ts';
import { Shares } from './shares.ts';
import type { SubscriptionRepository } from './subscription.repository.ts';
import { lastFailureOf, signingKeys, wantedOf } from './subscription.rules.ts';

/** What becomes of subscriptions, for the log. */
export type DeliveryEvent =
  | {
      readonly kind: 'ended' | 'parked' | 'unreadable-secret';
      readonly subscription: SubscriptionKey;
    }
  | { readonly kind: 'failure'; readonly subscription: SubscriptionKey; readonly error: unknown };

export interface OutboxesDeps {
  readonly store: EventStore;
  readonly subscriptions: SubscriptionRepository;
  readonly deliveries: DeliveryRepository;
  readonly save: SaveProgress;
  readonly sender: WebhookSender;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly random: () => number;
  readonly count: CountDeliveries;
  readonly onEvent: (event: DeliveryEvent) => void;
}

/** Serves all subscriptions that are active. */
export interface Outboxes {
  start(): Promise<void>;
  /** Serves a subscription as it is now, or no longer; what is under way is broken off. */
  reload(subscription: SubscriptionKey): Promise<void>;
  /** Ends at once what is served of a subscription that was deleted. */
  forget(subscription: SubscriptionKey): void;
  forgetSpace(spaceId: string): void;
  /** Undefined for one that is not served. */
  of(subscriptionId: string): Outbox | undefined;
  /** Why a subscription that is active is not served, or not further than it has got. */
  heldBy(row: SubscriptionRow): string | null;
  /** Waiting and parked ones of all that are served. */
  totals(): Pick<Totals, 'waiting' | 'parked'>;
  /** Where the slowest of those that are served of a space has got to; null when there are none. */
  position(spaceId: string): number | null;
  /** Events of their spaces that those that are served have yet to look at. */
  lag(): Promise<number>;
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>;
}

/** Pages that are read at once. */
const READS_AT_ONCE = 8;
const TICK_MS = 250;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
const AGAIN_AFTER_MS = 5000;
/** What is under way at the end may take so long. */
const GRACE_MS = 3000;
const QUIET_MS = 60_000;

export function createOutboxes(deps: OutboxesDeps): Outboxes {
  const { store, subscriptions, deliveries, sealer } = deps;
  const shares = new Shares();
  const served = new Served();
  /** The last change of what is served, of each subscription that has one under way. */
  const changing = new Map<string, { readonly spaceId: string; readonly change: Promise<void> }>();
  const timers = new Set<NodeJS.Timeout>();
  let stopListening = () => {};
  let closing = false;

  const reads = new Turns({
    atOnce: READS_AT_ONCE,
    step: async (id, signal) => (await served.get(id)?.read(signal)) ?? false,
    onFailure: (error, id, failures) => {
      const subscription = served.get(id)?.key;
      if (subscription !== undefined) fail(subscription, error);
      return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    },
  });

  async function open(row: SubscriptionRow): Promise<void> {
    const key = { spaceId: row.space_id, subscriptionId: row.id };
    const keys = signingKeys(row, sealer);
    if (keys.length === 0) {
      deps.onEvent({ kind: 'unreadable-secret', subscription: key });
      return;
    }
    const [totals, waiting] = [await deliveries.totals(key), await deliveries.waiting(key)];
    if (closing) return;
    const outbox = new Outbox(
      {
        ...deps,
        shares,
        onRoom: () => reads.wake(row.id),
        onGone: () => void end(key),
        onParked: seldom(() => deps.onEvent({ kind: 'parked', subscription: key })),
        onFailure: (error) => fail(key, error),
      },
      {
        ...key,
        wanted: wantedOf(row),
        keys,
        target: deps.sender.open(row.url),
        position: row.position,
        totals,
        waiting,
        lastDeliveredAt: row.last_delivered_at,
        lastFailure: lastFailureOf(row),
      },
    );
    served.add(outbox);
    outbox.begin();
    reads.wake(row.id);
  }

  async function end(key: SubscriptionKey): Promise<void> {
    const at = new Date(deps.clock()).toISOString();
    try {
      await subscriptions.end(key.spaceId, key.subscriptionId, `the target answered 410 at ${at}`);
      deps.onEvent({ kind: 'ended', subscription: key });
      await reload(key);
    } catch (error) {
      // Nothing is sent until then; after it the target is asked again.
      fail(key, error);
      later(key);
    }
  }

  async function replace({ spaceId, subscriptionId }: SubscriptionKey): Promise<void> {
    await served.take(subscriptionId)?.close(0);
    const row = await subscriptions.find({ spaceId }, subscriptionId);
    if (row?.state === 'active' && !closing) await open(row);
  }

  /** One change after the other, each of which sees what the one before left. */
  function reload(key: SubscriptionKey): Promise<void> {
    const { spaceId, subscriptionId: id } = key;
    const before = changing.get(id)?.change ?? Promise.resolve();
    const change = before
      .catch(() => {})
      .then(() => replace(key))
      .finally(() => {
        if (changing.get(id)?.change === change) changing.delete(id);
      });
    changing.set(id, { spaceId, change });
    return change;
  }

  /** The same when nobody waits for it; it is tried until it works. */
  function reloadAlone(key: SubscriptionKey): Promise<void> {
    return reload(key).catch((error) => {
      fail(key, error);
      later(key);
    });
  }

  function later(key: SubscriptionKey): void {
    if (closing) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      void reloadAlone(key);
    }, AGAIN_AFTER_MS);
    timers.add(timer);
  }

  function forget(key: SubscriptionKey): void {
    const { subscriptionId: id } = key;
    served.take(id)?.abandon();
    // One that is just being opened finds that it is gone.
    if (changing.has(id)) void reloadAlone(key);
  }

  function fail(subscription: SubscriptionKey, error: unknown): void {
    deps.onEvent({ kind: 'failure', subscription, error });
  }

  async function openAll(rows: readonly SubscriptionRow[]): Promise<void> {
    for (const { space_id: spaceId, id: subscriptionId } of rows)
      if (!closing && served.get(subscriptionId) === undefined)
        await reloadAlone({ spaceId, subscriptionId });
  }

  return {
    start: async () => {
      stopListening = store.onAppended((spaceId) => {
        for (const { key } of served.inSpace(spaceId)) reads.wake(key.subscriptionId);
      });
      timers.add(
        setInterval(() => {
          for (const outbox of served.all()) outbox.begin();
        }, TICK_MS),
      );
      void openAll(await subscriptions.active());
    },
    reload,
    forget,
    forgetSpace: (spaceId) => {
      for (const { key } of [...served.inSpace(spaceId)]) forget(key);
      for (const [subscriptionId, one] of changing)
        if (one.spaceId === spaceId) forget({ spaceId, subscriptionId });
    },
    of: (id) => served.get(id),
    heldBy: (row) => {
      if (row.state !== 'active') return null;
      if (signingKeys(row, sealer).length === 0)
        return 'Its secret cannot be decrypted, since keys/secret is another one; give it a new secret.';
      return served.get(row.id)?.isHeld === true
        ? `More than ${MAX_KEPT} deliveries, or 256 MiB of them, wait or are parked; mend the target, or send them again or delete them.`
        : null;
    },
    totals: () => {
      const sum = { waiting: 0, parked: 0 };
      for (const { totals } of served.all()) {
        sum.waiting += totals.waiting;
        sum.parked += totals.parked;
      }
      return sum;
    },
    position: (spaceId) => {
      const own = [...served.inSpace(spaceId)];
      return own.length === 0 ? null : Math.min(...own.map(({ position }) => position));
    },
    lag: async () => {
      const heads = await store.heads();
      let lag = 0;
      for (const { key, position } of served.all())
        lag += Math.max(0, (heads.get(key.spaceId) ?? 0) - position);
      return lag;
    },
    close: async () => {
      closing = true;
      stopListening();
      for (const timer of timers) clearTimeout(timer);
      await reads.close();
      await Promise.allSettled([...changing.values()].map(({ change }) => change));
      await Promise.all([...served.all()].map((outbox) => outbox.close(GRACE_MS)));
    },
  };
}

/** Calls it no more than once a minute: many deliveries are parked together. */
function seldom(call: () => void): () => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    call();
  };
}
