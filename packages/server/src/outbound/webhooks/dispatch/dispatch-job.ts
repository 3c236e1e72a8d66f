import { type Clock, DAY_MS, FairScheduler } from '../../../lib/scheduling/index.ts';
import type { Sealer } from '../../../platform/secrets/index.ts';
import type { EventStore, JobWork, SubscriptionRow, Term } from '../../../storage/ports/index.ts';
import type { SaveCheckpoint } from '../deliveries/checkpoint.repository.ts';
import {
  type DeliveryRepository,
  NO_DELIVERIES,
  type SubscriptionKey,
} from '../deliveries/delivery.repository.ts';
import type { SuccessfulDeliveryRepository } from '../deliveries/successful-delivery.repository.ts';
import { runningReplay } from '../replays/replay.rules.ts';
import type { WebhookSender } from '../sending/webhook-sender.ts';
import type { SubscriptionRepository } from '../subscriptions/subscription.repository.ts';
import { filterOf, lastFailureOf, signingKeys } from '../subscriptions/subscription.rules.ts';
import type { CountDeliveries } from '../webhooks.metrics.ts';
import { OpenOutboxes } from './open-outboxes.ts';
import { Outbox, type OutboxDeps } from './outbox.ts';
import { Reconciler } from './reconciler.ts';
import type { AttemptFailure } from './retry.rules.ts';
import { SharedCapacity } from './shared-capacity.ts';

export type DeliveryEvent =
  | {
      /** `recovered`: an attempt succeeded after `failing` was reported. */
      readonly kind: 'ended' | 'unreadable-secret' | 'recovered';
      readonly subscription: SubscriptionKey;
    }
  | {
      /** `failing`: the last 20 attempts have failed. `overdue`: a delivery still fails half an hour after its first failure. */
      readonly kind: 'failing' | 'overdue' | 'parked';
      readonly subscription: SubscriptionKey;
      /** Description of the last failure. */
      readonly reason: string;
    }
  | {
      readonly kind: 'failure';
      /** The affected subscription. `null` if the subscriptions could not be read. */
      readonly subscription: SubscriptionKey | null;
      readonly error: unknown;
    };

export interface DispatchDeps {
  readonly store: EventStore;
  readonly subscriptions: SubscriptionRepository;
  readonly deliveries: DeliveryRepository;
  readonly successful: SuccessfulDeliveryRepository;
  /** Retention of successful deliveries in days. 0: successful deliveries are not stored. */
  readonly retentionDays: number;
  readonly save: SaveCheckpoint;
  readonly sender: WebhookSender;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Returns a number from 0 to 1 (exclusive) for jitter. */
  readonly random: () => number;
  readonly count: CountDeliveries;
  readonly onEvent: (event: DeliveryEvent) => void;
}

const CONCURRENT_READS = 8;
const TICK_MS = 250;
const REMOVE_EVERY_MS = 3_600_000;
const FIRST_REREAD_MS = 250;
const MAX_REREAD_MS = 60_000;
/** Maximum time to wait for attempts in flight when the job stops. */
const GRACE_MS = 3000;

/**
 * Delivers events to all active subscriptions during one lease term.
 *
 * - running: the reconciler opens and closes outboxes. Appended events and free capacity of an outbox trigger reads. A
 *   timer starts due retries.
 * - closing: starts no attempts. Each open outbox writes a final checkpoint unless the lease was lost.
 */
export class DispatchJob implements JobWork {
  readonly outboxes = new OpenOutboxes();
  readonly reconciler: Reconciler;
  readonly #deps: DispatchDeps;
  readonly #term: Term;
  readonly #capacity = new SharedCapacity();
  readonly #reads: FairScheduler;
  readonly #retryTimer: NodeJS.Timeout;
  readonly #removalTimer: NodeJS.Timeout;
  readonly #stopping = new AbortController();
  #removal: Promise<void> = Promise.resolve();
  readonly #stopListening: () => void;
  readonly #unreadable = new Map<string, string>();
  readonly #reportThrottled: (event: DeliveryEvent) => void;
  #state: 'running' | 'closing' = 'running';

  constructor(deps: DispatchDeps, term: Term) {
    this.#deps = deps;
    this.#term = term;
    this.#reportThrottled = throttle(deps.onEvent);
    this.reconciler = new Reconciler({
      subscriptions: deps.subscriptions,
      outboxes: this.outboxes,
      isHeld: term.isHeld,
      open: (row, hasDeliveries) => this.#open(row, hasDeliveries),
      onFailure: (subscription, error) => this.#reportFailure(subscription, error),
    });
    this.#reads = new FairScheduler({
      atOnce: CONCURRENT_READS,
      step: async (id, signal) => (await this.outboxes.get(id)?.readPage(signal)) ?? false,
      onFailure: (error, id, failures) => {
        const subscription = this.outboxes.get(id)?.key;
        if (subscription !== undefined) this.#reportFailure(subscription, error);
        return Math.min(MAX_REREAD_MS, FIRST_REREAD_MS * 2 ** (failures - 1));
      },
    });
    this.#stopListening = deps.store.onAppended((spaceId) => {
      for (const { key } of this.outboxes.inSpace(spaceId)) this.#reads.wake(key.subscriptionId);
    });
    this.#retryTimer = setInterval(() => {
      for (const outbox of this.outboxes) outbox.startAttempts();
    }, TICK_MS);
    this.#removalTimer = setInterval(() => this.#removeExpired(), REMOVE_EVERY_MS);
    this.#removeExpired();
    this.reconciler.wake();
  }

  onHint(): void {
    this.reconciler.wake();
  }

  async stop(): Promise<void> {
    this.#state = 'closing';
    this.#stopping.abort();
    const { isHeld } = this.#term;
    if (!isHeld()) for (const outbox of this.outboxes) outbox.abandon();
    this.#stopListening();
    clearInterval(this.#retryTimer);
    clearInterval(this.#removalTimer);
    await Promise.all([this.#reads.close(), this.reconciler.close(), this.#removal]);
    await Promise.all(
      [...this.outboxes].map((outbox) =>
        isHeld() ? outbox.close(GRACE_MS, true) : outbox.abandon(),
      ),
    );
  }

  async #open(row: SubscriptionRow, hasDeliveries: boolean): Promise<void> {
    const { deliveries, sender, sealer, onEvent } = this.#deps;
    const key: SubscriptionKey = { spaceId: row.space_id, subscriptionId: row.id };
    const keys = signingKeys(row, sealer);
    if (keys.length === 0) {
      if (this.#unreadable.get(row.id) !== row.secrets)
        onEvent({ kind: 'unreadable-secret', subscription: key });
      this.#unreadable.set(row.id, row.secrets);
      return;
    }
    this.#unreadable.delete(row.id);
    const totals = hasDeliveries ? await deliveries.totals(key) : NO_DELIVERIES;
    // Read before `waiting`, so a delivery that is deleted in between is not created again.
    const stored = hasDeliveries ? await deliveries.positionsAfter(key, row.position) : [];
    const discarded = hasDeliveries ? await deliveries.discarded(key) : [];
    const waiting = hasDeliveries ? await deliveries.waiting(key) : [];
    if (this.#state !== 'running') return;
    const outbox = new Outbox(this.#outboxDeps(row, key), {
      ...key,
      filter: filterOf(row),
      keys,
      target: sender.open(row.url, row.space_id),
      position: row.position,
      totals,
      stored,
      discarded,
      waiting,
      lastDeliveredAt: row.last_delivered_at,
      lastFailure: lastFailureOf(row),
      replay: runningReplay(row),
    });
    this.outboxes.add(outbox);
    outbox.startAttempts();
    this.#reads.wake(row.id);
  }

  #outboxDeps(row: SubscriptionRow, key: SubscriptionKey): OutboxDeps {
    const { save, onEvent } = this.#deps;
    let isReported = false;
    const onFailing = throttle((reason: string) => {
      isReported = true;
      onEvent({ kind: 'failing', subscription: key, reason });
    });
    const reporting = (kind: 'overdue' | 'parked') =>
      throttle(({ message: reason }: AttemptFailure) =>
        onEvent({ kind, subscription: key, reason }),
      );
    return {
      ...this.#deps,
      capacity: this.#capacity,
      save: (subscription, checkpoint) => save(subscription, checkpoint, this.#term.fence),
      isHeld: this.#term.isHeld,
      storesSuccessful: this.#deps.retentionDays > 0,
      trim: (subscription) =>
        this.#deps.successful
          .trim(subscription)
          .catch((error) => this.#reportFailure(subscription, error)),
      onCapacity: () => this.#reads.wake(row.id),
      onGone: () => void this.#endSubscription(row, key),
      onFailing: ({ message }) => onFailing(message),
      onRecovered: () => {
        if (isReported) onEvent({ kind: 'recovered', subscription: key });
        isReported = false;
      },
      onOverdue: reporting('overdue'),
      onParked: reporting('parked'),
      onFailure: (error) => this.#reportFailure(key, error),
    };
  }

  /** Ends a subscription whose target answered 410. Its outbox is already closing and sends nothing. */
  async #endSubscription(row: SubscriptionRow, key: SubscriptionKey): Promise<void> {
    const at = new Date(this.#deps.clock()).toISOString();
    const reason = `the target answered 410 at ${at}`;
    try {
      if (await this.#deps.subscriptions.end(row.space_id, row.id, row.revision, reason))
        this.#deps.onEvent({ kind: 'ended', subscription: key });
      await this.reconciler.reload(key);
    } catch (error) {
      this.#reportFailure(key, error);
      this.reconciler.retry(key);
    }
  }

  /** Removes successful deliveries past their retention. */
  #removeExpired(): void {
    const { successful, retentionDays, clock } = this.#deps;
    this.#removal = this.#removal
      .then(() => successful.removeBefore(clock() - retentionDays * DAY_MS, this.#stopping.signal))
      .catch((error) => this.#reportFailure(null, error));
  }

  #reportFailure(subscription: SubscriptionKey | null, error: unknown): void {
    // All writes fail after the lease is lost.
    if (!this.#term.isHeld()) return;
    const report = subscription === null ? this.#reportThrottled : this.#deps.onEvent;
    report({ kind: 'failure', subscription, error });
  }
}

const THROTTLE_MS = 60_000;

/** Returns a function that calls `call` at most once per minute. Often many deliveries are parked at the same time. */
function throttle<Args extends unknown[]>(call: (...args: Args) => void): (...args: Args) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (...args) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + THROTTLE_MS;
    call(...args);
  };
}
