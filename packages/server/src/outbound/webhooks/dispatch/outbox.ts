import type { Clock } from '../../../lib/scheduling/index.ts';
import type { Sealer } from '../../../platform/secrets/index.ts';
import type { EventStore } from '../../../storage/ports/index.ts';
import { withAttempt } from '../deliveries/attempt-log.ts';
import type { Checkpoint, LastFailure } from '../deliveries/checkpoint.repository.ts';
import type {
  DeliveryRepository,
  SubscriptionKey,
  Totals,
} from '../deliveries/delivery.repository.ts';
import type { StoredDelivery } from '../deliveries/pending-delivery.ts';
import { UnsavedDeliveries } from '../deliveries/successful-delivery.ts';
import type { RunningReplay } from '../replays/replay.rules.ts';
import { ReplayProgress } from '../replays/replay-progress.ts';
import type { CountDeliveries } from '../webhooks.metrics.ts';
import { Backlog, MAX_ROW_BYTES, MAX_ROWS } from './backlog.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';
import { createPageReader, type EventPage, type SubscriptionFilter } from './event-pages.ts';
import type { LaneItem } from './lanes.ts';
import { type AttemptFailure, isOverdue, postpone } from './retry.rules.ts';
import { RunningAttempts } from './running-attempts.ts';
import { createSend, type Receiver, type SendOutcome, type SendResult } from './send.ts';
import type { SharedCapacity } from './shared-capacity.ts';
import { TargetHealth } from './target-health.rules.ts';

export interface OutboxSubscription extends Receiver {
  readonly filter: SubscriptionFilter;
  /** Every event up to this position is finished or has a stored delivery. */
  readonly position: number;
  readonly totals: Totals;
  /** Positions after `position` whose deliveries have a stored row. */
  readonly stored: readonly number[];
  /** Positions of discarded deliveries that still have a row. */
  readonly discarded: readonly number[];
  readonly waiting: readonly StoredDelivery[];
  readonly lastDeliveredAt: number | null;
  readonly lastFailure: LastFailure | null;
  /** `null`: no replay is running. */
  readonly replay: RunningReplay | null;
}

export interface OutboxDeps {
  readonly store: EventStore;
  readonly deliveries: DeliveryRepository;
  readonly save: (subscription: SubscriptionKey, checkpoint: Checkpoint) => Promise<void>;
  readonly sealer: Sealer;
  /** `false`: successful deliveries are not stored. */
  readonly storesSuccessful: boolean;
  /** Called when the stored successful deliveries may exceed their limit. Never rejects. */
  readonly trim: (subscription: SubscriptionKey) => Promise<void>;
  readonly isHeld: () => boolean;
  readonly clock: Clock;
  /** Returns a number from 0 to 1 (exclusive) for jitter. */
  readonly random: () => number;
  readonly capacity: SharedCapacity;
  readonly count: CountDeliveries;
  /** Called when the outbox has capacity for another page. The callback must schedule `readPage`. */
  readonly onCapacity: () => void;
  readonly onGone: () => void;
  /** Called when the last 20 attempts have failed. */
  readonly onFailing: (failure: AttemptFailure) => void;
  /** Called when an attempt succeeds after `onFailing`. */
  readonly onRecovered: () => void;
  /** Called when a delivery still fails half an hour after its first failure. */
  readonly onOverdue: (failure: AttemptFailure) => void;
  readonly onParked: (failure: AttemptFailure) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Maximum delay between a delivery and its checkpoint. A crash repeats the deliveries since the last checkpoint. */
const CHECKPOINT_DELAY_MS = 200;
/** Maximum delay of a checkpoint that only advances the position past filtered events. */
const IDLE_CHECKPOINT_DELAY_MS = 5000;
/** Number of ready lanes below which another page is read. */
const MIN_READY_LANES = 128;
/** Waiting deliveries are retried within this time after their target has recovered. */
const RECOVERY_MS = 10_000;
const REREAD_DELAY_MS = 1000;
/** Number of stored successful deliveries after which the oldest are trimmed. */
const TRIM_AFTER = 2000;

/**
 * The outbox of one subscription. It reads pages of events from the log, sends them from memory, and writes
 * checkpoints. A checkpoint stores a position, the failed deliveries and the later deliveries of their lanes. Every
 * event up to the position is finished or has a stored delivery. A crash therefore loses no event and repeats only the
 * deliveries since the last checkpoint.
 *
 * - open: reads pages and starts attempts.
 * - closing: starts no attempts and records the outcomes of attempts in flight.
 * - closed: ignores outcomes and writes nothing.
 */
export class Outbox {
  /** Only the IDs, because failures are logged with the key. */
  readonly key: SubscriptionKey;
  readonly #deps: OutboxDeps;
  readonly #subscription: OutboxSubscription;
  readonly #readAfter: (position: number) => Promise<EventPage>;
  readonly #readReplayAfter: (position: number) => Promise<EventPage>;
  #replay: ReplayProgress | null;
  /** `true` after the replay has unparked deliveries, until `sync` succeeds. */
  #mustSync = false;
  /** Position of the last checkpoint that was stored. */
  #savedPosition: number;
  readonly #send: ReturnType<typeof createSend>;
  readonly #backlog: Backlog;
  readonly #health: TargetHealth;
  readonly #checkpoints: CheckpointWriter;
  readonly #successful = new UnsavedDeliveries();
  /** Starts high, because the number of stored deliveries is unknown. */
  #untrimmed = TRIM_AFTER;
  #state: 'open' | 'closing' | 'closed' = 'open';
  #hasMore = true;
  #isReading = false;
  readonly #attempts = new RunningAttempts();
  #lastDeliveredAt: number | null;
  #lastFailure: LastFailure | null;
  readonly #resume = () => this.startAttempts();

  constructor(deps: OutboxDeps, subscription: OutboxSubscription) {
    const { capacity, store } = deps;
    this.#deps = deps;
    this.#subscription = subscription;
    this.#readAfter = createPageReader(store, capacity, subscription.spaceId, subscription.filter);
    const { spaceId, subscriptionId, filter, replay } = subscription;
    this.key = { spaceId, subscriptionId };
    const from = replay?.from ?? 0;
    this.#readReplayAfter = createPageReader(store, capacity, spaceId, filter, from);
    this.#replay = replay === null ? null : new ReplayProgress(replay);
    this.#savedPosition = subscription.position;
    this.#send = createSend(deps, subscription);
    const now = deps.clock();
    this.#backlog = new Backlog({ ...subscription, replay: this.#replay, capacity, now });
    this.#health = new TargetHealth(deps.random);
    this.#lastDeliveredAt = subscription.lastDeliveredAt;
    this.#lastFailure = subscription.lastFailure;
    this.#checkpoints = new CheckpointWriter({
      position: subscription.position,
      changes: this.#backlog.changes,
      save: (checkpoint) => deps.save(subscription, checkpoint),
      snapshot: () => ({
        ...this.#backlog.snapshot(),
        lastDeliveredAt: this.#lastDeliveredAt,
        lastFailure: this.#lastFailure,
        delivered: this.#successful.next(),
        replay: this.#replay?.snapshot() ?? null,
        now: deps.clock(),
      }),
      onSaved: (saved) => {
        this.#backlog.onSaved(saved);
        this.#savedPosition = saved.position;
        if (saved.replay?.isFinished === true) this.#replay = null;
        this.#onSuccessfulSaved(saved);
        this.startAttempts();
      },
      onFailure: deps.onFailure,
    });
  }

  /** Every event up to this position is finished or has a stored delivery. */
  get position(): number {
    return this.#backlog.settledThrough;
  }

  get totals(): Totals {
    return this.#backlog.totals;
  }

  /** Unix milliseconds since which the longest waiting delivery waits, or `null`. */
  get waitingSince(): number | null {
    return this.#backlog.lanes.waitingSince;
  }

  /** Reads a page and starts its deliveries. Returns `true` if another page should be read. */
  async readPage(signal: AbortSignal): Promise<boolean> {
    this.#hasMore = true;
    this.#isReading = true;
    try {
      if (this.#hasCapacity()) await this.#readNewPage(signal);
      const replay = this.#replay;
      if (!signal.aborted && replay !== null && this.#mayReplay(replay))
        await this.#readReplayPage(replay, signal);
      if (signal.aborted || this.#state !== 'open') return false;
      this.startAttempts();
      return this.#canRead();
    } finally {
      this.#isReading = false;
    }
  }

  async #readNewPage(signal: AbortSignal): Promise<void> {
    const page = await this.#readAfter(this.#backlog.readThrough);
    if (signal.aborted || this.#state !== 'open') return;
    const { changes } = this.#backlog;
    this.#backlog.addPage(page, this.#deps.clock());
    this.#checkpoints.schedule(changes.isEmpty ? IDLE_CHECKPOINT_DELAY_MS : CHECKPOINT_DELAY_MS);
    this.#hasMore = page.more;
  }

  /**
   * Reads a page of the replay. An event with a waiting delivery is skipped, because it will be sent anyway. An event with
   * a parked delivery is resent.
   */
  async #readReplayPage(replay: ReplayProgress, signal: AbortSignal): Promise<void> {
    const { deliveries, clock } = this.#deps;
    const limit = replay.limit(this.#savedPosition);
    const page = await this.#readReplayAfter(replay.readThrough);
    const items = page.items.filter(({ position }) => position <= limit);
    const positions = items.map(({ position }) => position);
    const stored = await deliveries.states(this.#subscription, positions);
    const parked = stored.filter(({ state }) => state === 'parked').map((row) => row.position);
    if (signal.aborted || this.#state !== 'open') return;
    if (parked.length > 0) {
      this.#mustSync = true;
      await deliveries.unpark(this.#subscription, parked, clock());
    }
    if (this.#mustSync) {
      await this.sync(null);
      this.#mustSync = false;
      if (signal.aborted || this.#state !== 'open') return;
    }
    const skipped = new Set(stored.map(({ position }) => position));
    const fresh = items.filter(({ position }) => !skipped.has(position));
    this.#backlog.addReplayPage(fresh, Math.min(page.through, limit), clock());
    this.#checkpoints.markStatusChanged();
    this.#checkpoints.schedule(CHECKPOINT_DELAY_MS);
  }

  /** Starts as many attempts as all limits permit. Must be called when a limit may have changed or a retry may be due. */
  startAttempts(): void {
    this.#backlog.lanes.promoteDue(this.#deps.clock());
    for (let next = this.#startNext(); next !== undefined; next = this.#startNext())
      this.#attempt(next).catch(this.#deps.onFailure);
    if (!this.#isReading && this.#canRead()) this.#deps.onCapacity();
  }

  /**
   * Applies external changes of rows: resent, rescheduled and deleted deliveries. Rejects if the store fails.
   *
   * @param position the changed delivery, or `null` for any number of deliveries.
   */
  sync(position: number | null): Promise<void> {
    return this.#checkpoints.flushThen(async () => {
      const before = [...this.#backlog.lanes.stored()].filter(
        ({ item }) => position === null || item.position === position,
      );
      const { deliveries, clock } = this.#deps;
      const totals = await deliveries.totals(this.#subscription);
      const discarded = await deliveries.discarded(this.#subscription);
      const waiting = await this.#readWaiting(position);
      if (this.#state !== 'open') return;
      this.#backlog.sync(before, { totals, waiting, discarded }, clock());
      this.startAttempts();
    });
  }

  /**
   * Closes the outbox after a final checkpoint. Attempts that are still in flight after `graceMs` are aborted. The next
   * outbox of the subscription repeats them.
   *
   * @param storesUnfinished `true` to create rows for unfinished deliveries that would otherwise cause finished deliveries to be
   * repeated. The rows do not depend on later changes of the filter.
   */
  async close(graceMs: number, storesUnfinished = false): Promise<void> {
    if (this.#state === 'open') this.#state = 'closing';
    await this.#attempts.waitUntilIdle(graceMs);
    if (storesUnfinished) this.#backlog.storeUnfinished(this.#deps.clock());
    do await this.#checkpoints.flush();
    while (this.#state !== 'closed' && !this.#successful.isEmpty && !this.#checkpoints.isFailing);
    this.abandon();
  }

  /** Closes the outbox without a checkpoint. */
  abandon(): void {
    this.#state = 'closed';
    this.#checkpoints.close();
    this.#backlog.close();
    this.#subscription.target.close();
  }

  #onSuccessfulSaved({ delivered }: Pick<Checkpoint, 'delivered'>): void {
    if (delivered.length === 0) return;
    this.#successful.onSaved(delivered);
    this.#untrimmed += delivered.length;
    if (this.#untrimmed >= TRIM_AFTER) {
      this.#untrimmed = 0;
      void this.#deps.trim(this.key);
    }
    if (this.#successful.isEmpty) return;
    this.#checkpoints.markStatusChanged();
    this.#checkpoints.schedule(CHECKPOINT_DELAY_MS);
  }

  async #readWaiting(position: number | null): Promise<StoredDelivery[]> {
    const { deliveries } = this.#deps;
    if (position === null) return deliveries.waiting(this.#subscription);
    const row = await deliveries.find(this.#subscription, position);
    return row?.state === 'waiting' ? [row] : [];
  }

  get #minReadyLanes(): number {
    return this.#health.isFailing ? 1 : MIN_READY_LANES;
  }

  #hasCapacity(): boolean {
    return (
      this.#state === 'open' &&
      this.#backlog.lanes.ready < this.#minReadyLanes &&
      this.#backlog.hasCapacity &&
      !this.#checkpoints.isFailing
    );
  }

  #canRead(): boolean {
    const canReplay = this.#replay !== null && this.#mayReplay(this.#replay);
    return (this.#hasMore && this.#hasCapacity()) || canReplay;
  }

  /** Reports whether a page of the replay may be read. A replay uses at most half of the rows of a subscription. */
  #mayReplay(replay: ReplayProgress): boolean {
    const { waiting, parked, bytes } = this.#backlog.totals;
    return (
      this.#state === 'open' &&
      replay.readThrough < replay.limit(this.#savedPosition) &&
      replay.hasCapacity &&
      this.#backlog.lanes.replayed < this.#minReadyLanes &&
      waiting + parked < MAX_ROWS / 2 &&
      bytes < MAX_ROW_BYTES / 2 &&
      !this.#deps.capacity.isMemoryFull &&
      !this.#checkpoints.isFailing
    );
  }

  #startNext(): LaneItem | undefined {
    const { capacity, clock, isHeld } = this.#deps;
    const { lanes } = this.#backlog;
    const maxRunning = this.#health.maxInFlight(capacity.maxInFlight());
    const hasReady = lanes.ready > 0 || lanes.replayed > 0;
    if (this.#state !== 'open' || !hasReady || this.#attempts.count >= maxRunning) return undefined;
    if (!isHeld() || !capacity.mayStart(this.#resume)) return undefined;
    const mayTryNew = this.#health.mayTryNew(clock(), this.#attempts.newCount);
    return this.#attempts.startNext(lanes, { maxRunning, mayTryNew });
  }

  async #attempt(attempted: LaneItem): Promise<void> {
    const ended = this.#attempts.add(attempted.item);
    this.#deps.capacity.onStart();
    const outcome = await this.#send(attempted.item);
    ended();
    this.#deps.capacity.onEnd();
    if (this.#state !== 'closed') this.#onOutcome(attempted, outcome);
    this.#attempts.reportIdle();
    this.startAttempts();
  }

  #onOutcome(attempted: LaneItem, outcome: SendOutcome): void {
    const now = this.#deps.clock();
    const { lane, item } = attempted;
    if (item.deleted) this.#backlog.lanes.finish(lane, now);
    else if (outcome === 'no-row') this.#finish(attempted, now);
    else if (outcome === 'unreadable') {
      postpone(item, now, REREAD_DELAY_MS);
      this.#backlog.lanes.retry(lane, now);
    } else {
      const { failure } = outcome;
      if (failure === null) this.#onDelivered(attempted, outcome, now);
      else this.#onFailed(attempted, outcome, failure);
    }
  }

  #onDelivered(attempted: LaneItem, { log, attempt }: SendResult, now: number): void {
    const { count, random, storesSuccessful, onRecovered } = this.#deps;
    count('delivered');
    if (storesSuccessful)
      this.#successful.add(attempted.item, withAttempt(log, attempt), attempt.status ?? 0, now);
    this.#lastDeliveredAt = now;
    this.#checkpoints.markStatusChanged();
    if (this.#health.onSuccess()) {
      this.#backlog.lanes.retrySoon(now, RECOVERY_MS, random);
      onRecovered();
    }
    this.#finish(attempted, now);
  }

  #finish(attempted: LaneItem, now: number): void {
    this.#backlog.finish(attempted, now);
    this.#checkpoints.schedule(CHECKPOINT_DELAY_MS);
  }

  #onFailed(attempted: LaneItem, { log, attempt }: SendResult, failure: AttemptFailure): void {
    const { count, random, onFailing, onOverdue, onParked, onGone } = this.#deps;
    const { item } = attempted;
    const previousAttemptAt = item.lastAttemptAt;
    count('failed');
    this.#lastFailure = failure;
    this.#checkpoints.markStatusChanged();
    this.#backlog.fail(attempted, failure, withAttempt(log, attempt), random());
    if (this.#health.onFailure(failure.at, item.notBefore)) onFailing(failure);
    if (isOverdue(item, previousAttemptAt)) onOverdue(failure);
    if (item.state === 'parked') {
      count('parked');
      onParked(failure);
    }
    this.#checkpoints.schedule(CHECKPOINT_DELAY_MS);
    if (failure.isGone && this.#state === 'open') {
      this.#state = 'closing';
      onGone();
    }
  }
}
