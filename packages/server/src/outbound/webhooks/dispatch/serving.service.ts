import type { Clock } from '../../../lib/scheduling/index.ts';
import { BackgroundWork, FairScheduler } from '../../../lib/scheduling/index.ts';
import type { Sealer } from '../../../platform/secrets/index.ts';
import type { EventStore, JobWork, SubscriptionRow, Term } from '../../../storage/ports/index.ts';
import {
  type DeliveryRepository,
  NOTHING,
  type SubscriptionKey,
} from '../deliveries/delivery.repository.ts';
import type { SaveProgress } from '../deliveries/progress.repository.ts';
import type { WebhookSender } from '../sending/webhook-sender.ts';
import type {
  ActiveSubscription,
  SubscriptionRepository,
} from '../subscriptions/subscription.repository.ts';
import { lastFailureOf, signingKeys, wantedOf } from '../subscriptions/subscription.rules.ts';
import type { CountDeliveries } from '../webhooks.metrics.ts';
import { ActiveOutboxes } from './active-outboxes.ts';
import { Outbox } from './outbox.ts';
import { Shares } from './shares.ts';
import { SubscriptionMutex } from './subscription-mutex.ts';
import { throttle } from './throttle.ts';

/** What becomes of subscriptions, for the log. */
export type DeliveryEvent =
  | {
      readonly kind: 'ended' | 'parked' | 'unreadable-secret';
      readonly subscription: SubscriptionKey;
    }
  | {
      readonly kind: 'failure';
      /** Null: of which there are could not be read. */
      readonly subscription: SubscriptionKey | null;
      readonly error: unknown;
    };

export interface ServingDeps {
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

/** Serves all subscriptions that are active, for one term of the job. */
export interface Serving extends JobWork {
  readonly active: ActiveOutboxes;
  /** Serves a subscription as it is now, or no longer; what is under way is broken off. */
  reload(subscription: SubscriptionKey): Promise<void>;
  /** Somebody sent deliveries again, or deleted one: that at a position, or null for any. */
  sync(subscription: SubscriptionKey, position: number | null): Promise<void>;
  /** Ends at once what is active of a subscription that was deleted. */
  forget(subscription: SubscriptionKey): void;
  forgetSpace(spaceId: string): void;
}

/** Pages that are read at once. */
const READS_AT_ONCE = 8;
/** Subscriptions that are begun anew at once. */
const OPENED_AT_ONCE = 4;
/** Subscriptions that are read at once when all are begun with. */
const READ_TOGETHER = 100;
const TICK_MS = 250;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;
const AGAIN_AFTER_MS = 5000;
/** What is under way at the end may take so long. */
const GRACE_MS = 3000;

/**
 * Which subscriptions there are, and as they are now, stands in the store: whoever changes one raises its
 * revision. The process that made the change tells of it at once; what others change is found by comparing.
 */
export function beginServing(deps: ServingDeps, term: Term): Serving {
  const { store, subscriptions, deliveries, sealer } = deps;
  const shares = new Shares();
  const active = new ActiveOutboxes();
  /** As which each that is active was last looked at. */
  const seen = new Map<string, ActiveSubscription>();
  const mutex = new SubscriptionMutex();
  const timers = new Set<NodeJS.Timeout>();
  let closing = false;
  const failThrottled = throttle((error: unknown) => fail(null, error));

  const reads = new FairScheduler({
    atOnce: READS_AT_ONCE,
    step: async (id, signal) => (await active.get(id)?.read(signal)) ?? false,
    onFailure: (error, id, failures) => {
      const subscription = active.get(id)?.key;
      if (subscription !== undefined) fail(subscription, error);
      return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
    },
  });

  const comparing = new BackgroundWork({
    step: async () => {
      if (term.isHeld()) await compare();
      return false;
    },
    onFailure: (error) => {
      failThrottled(error);
      return AGAIN_AFTER_MS;
    },
  });

  /** Serves each subscription as it stands in the store, where that is not done yet. */
  async function compare(): Promise<void> {
    const active = await subscriptions.active();
    const gone = new Map(seen);
    for (const { id } of active) gone.delete(id);
    const isNew = ({ id }: ActiveSubscription) => !seen.has(id) && !mutex.has(id);
    await openNew(active.filter(isNew));
    const work = active.filter((row) => !isSeen(row))[Symbol.iterator]();
    await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => catchUp(work)));
    for (const row of gone.values()) await endOne(keyOf(row)).catch(() => {});
  }

  /** Those that were not active before, many at a time: after a takeover that is all of them. */
  async function openNew(rows: readonly ActiveSubscription[]): Promise<void> {
    for (let at = 0; at < rows.length && !closing; at += READ_TOGETHER) {
      const some = rows.slice(at, at + READ_TOGETHER);
      const reading = subscriptions.findActive(some);
      const opening = some.map((one) =>
        mutex.runExclusive(keyOf(one), async () => {
          const found = (await reading).find(({ row }) => row.id === one.id);
          if (found === undefined || closing || active.get(one.id) !== undefined) return;
          seen.set(one.id, found.row);
          await open(found.row, found.hasDeliveries);
        }),
      );
      for (const [index, outcome] of (await Promise.allSettled(opening)).entries()) {
        const one = some[index];
        if (outcome.status === 'fulfilled' || one === undefined) continue;
        failThrottled(outcome.reason);
        later(keyOf(one));
      }
    }
  }

  /** One that is not active any more keeps what was done; one that is deleted has nothing to keep. */
  async function endOne(key: SubscriptionKey): Promise<void> {
    const row = await subscriptions.find(key, key.subscriptionId);
    if (row === undefined) forget(key);
    else await reloadAlone(key);
  }

  function isSeen(row: ActiveSubscription): boolean {
    const known = seen.get(row.id);
    // What is under way now is compared the next time.
    if (mutex.has(row.id)) return true;
    const { revision, deliveries_revision } = known ?? {};
    return revision === row.revision && deliveries_revision === row.deliveries_revision;
  }

  async function catchUp(rows: Iterator<ActiveSubscription> & Iterable<ActiveSubscription>) {
    for (const row of rows) {
      if (closing || isSeen(row)) continue;
      if (seen.get(row.id)?.revision !== row.revision) await reloadAlone(keyOf(row));
      else {
        await syncAlone(keyOf(row), null);
        seen.set(row.id, row);
      }
    }
  }

  /** @param hasDeliveries whether any wait or are parked, or may. */
  async function open(row: SubscriptionRow, hasDeliveries = true): Promise<void> {
    const key = keyOf(row);
    const keys = signingKeys(row, sealer);
    if (keys.length === 0) {
      deps.onEvent({ kind: 'unreadable-secret', subscription: key });
      return;
    }
    const totals = hasDeliveries ? await deliveries.totals(key) : NOTHING;
    const waiting = hasDeliveries ? await deliveries.waiting(key) : [];
    if (closing) return;
    const outbox = new Outbox(
      {
        ...deps,
        shares,
        save: (subscription, progress) => deps.save(subscription, progress, term.fence),
        isHeld: term.isHeld,
        onRoom: () => reads.wake(row.id),
        onGone: () => void end(row),
        onParked: throttle(() => deps.onEvent({ kind: 'parked', subscription: key })),
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
    active.add(outbox);
    outbox.begin();
    reads.wake(row.id);
  }

  async function end(row: SubscriptionRow): Promise<void> {
    const key = keyOf(row);
    const at = new Date(deps.clock()).toISOString();
    const reason = `the target answered 410 at ${at}`;
    try {
      await subscriptions.end(row.space_id, row.id, row.revision, reason);
      deps.onEvent({ kind: 'ended', subscription: key });
      await reload(key);
    } catch (error) {
      // Nothing is sent until then; after it the target is asked again.
      fail(key, error);
      later(key);
    }
  }

  async function replace({ spaceId, subscriptionId: id }: SubscriptionKey): Promise<void> {
    await active.take(id)?.close(0);
    seen.delete(id);
    const row = await subscriptions.find({ spaceId }, id);
    if (row?.state !== 'active' || closing) return;
    seen.set(id, row);
    await open(row);
  }

  const reload = (key: SubscriptionKey) => mutex.runExclusive(key, () => replace(key));

  /** The same when nobody waits for it; it is tried until it works. */
  function reloadAlone(key: SubscriptionKey): Promise<void> {
    return reload(key).catch((error) => {
      fail(key, error);
      later(key);
    });
  }

  /** What cannot be taken over now is, with everything else of the subscription, a little later. */
  function syncAlone(key: SubscriptionKey, position: number | null): Promise<void> {
    const sync = async () => active.get(key.subscriptionId)?.sync(position);
    return mutex.runExclusive(key, sync).catch((error) => {
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
    active.take(id)?.abandon();
    seen.delete(id);
    // One that is just being opened finds that it is gone.
    if (mutex.has(id)) void reloadAlone(key);
  }

  function fail(subscription: SubscriptionKey | null, error: unknown): void {
    // Whoever has lost the job fails in all that it still writes.
    if (term.isHeld()) deps.onEvent({ kind: 'failure', subscription, error });
  }

  const stopListening = store.onAppended((spaceId) => {
    for (const { key } of active.inSpace(spaceId)) reads.wake(key.subscriptionId);
  });
  timers.add(
    setInterval(() => {
      for (const outbox of active.all()) outbox.begin();
    }, TICK_MS),
  );
  comparing.wake();

  return {
    active,
    reload,
    sync: syncAlone,
    forget,
    forgetSpace: (spaceId) => {
      for (const { key } of [...active.inSpace(spaceId)]) forget(key);
      for (const key of mutex.inSpace(spaceId)) forget(key);
    },
    onHint: () => comparing.wake(),
    stop: async () => {
      closing = true;
      if (!term.isHeld()) for (const outbox of active.all()) outbox.abandon();
      stopListening();
      for (const timer of timers) clearTimeout(timer);
      await Promise.all([reads.close(), comparing.close()]);
      await mutex.settled();
      await Promise.all(
        [...active.all()].map((outbox) =>
          term.isHeld() ? outbox.close(GRACE_MS) : outbox.abandon(),
        ),
      );
    },
  };
}

function keyOf(row: Pick<SubscriptionRow, 'space_id' | 'id'>): SubscriptionKey {
  return { spaceId: row.space_id, subscriptionId: row.id };
}
