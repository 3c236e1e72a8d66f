import type { Clock } from '../../../lib/scheduling/index.ts';
import type { EventStore } from '../../../storage/ports/index.ts';
import type {
  DeliveryRepository,
  SubscriptionKey,
  Totals,
} from '../deliveries/delivery.repository.ts';
import { deliveryId } from '../deliveries/delivery.rules.ts';
import { fromRow, type KeptDelivery, type PendingDelivery } from '../deliveries/pending.ts';
import type { LastFailure, Progress } from '../deliveries/progress.repository.ts';
import type { WebhookOutcome, WebhookTarget } from '../sending/webhook-sender.ts';
import type { CountDeliveries } from '../webhooks.metrics.ts';
import { Backlog } from './backlog.ts';
import { createIntake, type Intake, type Wanted } from './intake.ts';
import { type Lane, Lanes } from './lanes.ts';
import { messageOf, type SigningKey } from './message.rules.ts';
import { Pace } from './pace.rules.ts';
import { Saver } from './saver.ts';
import type { Shares } from './shares.ts';
import { noteFailure, type Verdict, verdictOf } from './verdict.rules.ts';

/** A subscription, as it is to be served. */
export interface Subscribed extends SubscriptionKey {
  readonly wanted: Wanted;
  readonly keys: readonly SigningKey[];
  readonly target: WebhookTarget;
  /** Everything up to here is done with, or has a row. */
  readonly position: number;
  readonly totals: Totals;
  /** What waits, in the order of the events. */
  readonly waiting: readonly KeptDelivery[];
  readonly lastDeliveredAt: number | null;
  readonly lastFailure: LastFailure | null;
}

export interface OutboxDeps {
  readonly store: EventStore;
  readonly deliveries: DeliveryRepository;
  readonly save: (subscription: SubscriptionKey, progress: Progress) => Promise<void>;
  /** Whether this process still is the one that serves subscriptions. */
  readonly isHeld: () => boolean;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly shares: Shares;
  readonly count: CountDeliveries;
  /** There is room for more events. */
  readonly onRoom: () => void;
  /** The target answered 410. */
  readonly onGone: () => void;
  readonly onParked: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** How soon what was done is on disk: what a crash may repeat. */
const SAVE_AFTER_MS = 200;
/** … and when nothing was done but to pass over events. */
const SAVE_IDLE_AFTER_MS = 5000;
/** Lanes that may begin; with fewer, more is read. */
const ENOUGH_READY = 128;
/** What waits is tried within this time after a target has recovered. */
const RECOVER_WITHIN_MS = 10_000;
const READ_AGAIN_AFTER_MS = 1000;

/** Instead of an outcome: the text of the event could not be read, or its row is gone. */
type Unsent = 'unread' | 'gone';

/**
 * What one subscription has still to deliver. Events come from the log a page at a time and are sent from
 * memory; the position moves behind those that are done. One that failed gets a row, as do those behind it in
 * its lane, and is done with as far as the position goes. So after a crash everything is in a row or behind
 * the position; what was delivered within the last moments is delivered again.
 *
 * - open: reads and sends.
 * - closing: begins nothing, and notes what becomes of that which is under way.
 * - closed: does nothing at all any more.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #subscribed: Subscribed;
  readonly #readAfter: (position: number) => Promise<Intake>;
  readonly #lanes = new Lanes();
  readonly #pace: Pace;
  readonly #saver: Saver;
  readonly #backlog: Backlog;
  #state: 'open' | 'closing' | 'closed' = 'open';
  /** Whether there is more to read, or may be. */
  #behind = true;
  #reading = false;
  #inFlight = 0;
  #newInFlight = 0;
  #dueWasLast = false;
  #lastDeliveredAt: number | null;
  #lastFailure: LastFailure | null;
  /** What has a row, as of the last save. */
  #counted: Totals;
  #onIdle: (() => void) | null = null;
  readonly #resume = () => this.begin();

  constructor(deps: OutboxDeps, subscribed: Subscribed) {
    this.#deps = deps;
    this.#subscribed = subscribed;
    const { spaceId, wanted } = subscribed;
    this.#readAfter = createIntake(deps.store, deps.shares, spaceId, wanted);
    this.#pace = new Pace(deps.random);
    this.#lastDeliveredAt = subscribed.lastDeliveredAt;
    this.#lastFailure = subscribed.lastFailure;
    this.#saver = new Saver(subscribed.position, {
      save: (progress) => deps.save(subscribed, progress),
      current: () => {
        this.#counted = this.#backlog.totals;
        return {
          position: this.#backlog.position,
          lastDeliveredAt: this.#lastDeliveredAt,
          lastFailure: this.#lastFailure,
        };
      },
      onSaved: (items) => {
        this.#backlog.saved(this.#counted);
        for (const item of items) this.#backlog.release(item);
        this.begin();
      },
      onFailure: deps.onFailure,
    });
    const { position, totals, waiting } = subscribed;
    this.#counted = totals;
    this.#backlog = new Backlog(this.#saver.changes, deps.shares, position, totals);
    const now = deps.clock();
    for (const row of waiting) this.#lanes.add(fromRow(row), now);
  }

  get key(): SubscriptionKey {
    return this.#subscribed;
  }

  /** Everything up to here is done with, or has a row. */
  get position(): number {
    return this.#backlog.position;
  }

  /** Whether so much is kept that nothing further is read. */
  get isHeld(): boolean {
    return this.#backlog.isHeld;
  }

  /** Reads a page and begins with it; gives whether to read on. */
  async read(signal: AbortSignal): Promise<boolean> {
    this.#behind = true;
    if (!this.#hasRoom()) return false;
    this.#reading = true;
    try {
      const intake = await this.#readAfter(this.#backlog.readThrough);
      if (signal.aborted || this.#state !== 'open') return false;
      this.#take(intake);
      this.#behind = intake.more;
      this.begin();
      return intake.more && this.#hasRoom();
    } finally {
      this.#reading = false;
    }
  }

  /** Begins as many attempts as may be under way, and no more in this turn of the event loop than may. */
  begin(): void {
    this.#lanes.tick(this.#deps.clock());
    for (let lane = this.#next(); lane !== undefined; lane = this.#next()) void this.#attempt(lane);
    if (this.#behind && !this.#reading && this.#hasRoom()) this.#deps.onRoom();
  }

  /** What has a row. */
  get totals(): Totals {
    return this.#backlog.totals;
  }

  /**
   * Takes over what was changed of its rows by others: those that were parked and wait again, those that are to be
   * tried now, those that are gone. Throws when the store does not answer.
   *
   * @param position of the one that was changed; null: it may be any.
   */
  sync(position: number | null): Promise<void> {
    return this.#saver.between(async () => {
      const isMeant = (one: { readonly position: number }) =>
        position === null || one.position === position;
      const before = [...this.#lanes.kept()].filter(({ item }) => isMeant(item));
      const totals = await this.#deps.deliveries.totals(this.#subscribed);
      const waiting = await this.#waitingNow(position);
      if (this.#state !== 'open') return;
      this.#backlog.found(totals);
      this.#takeOver(before, new Map(waiting.map((row) => [row.position, row])));
      this.begin();
    });
  }

  async #waitingNow(position: number | null): Promise<KeptDelivery[]> {
    const { deliveries } = this.#deps;
    if (position === null) return deliveries.waiting(this.#subscribed);
    const row = await deliveries.find(this.#subscribed, position);
    return row?.state === 'waiting' ? [row] : [];
  }

  /** @param before what had a row before these rows were read. */
  #takeOver(
    before: readonly { readonly lane: Lane; readonly item: PendingDelivery }[],
    waiting: Map<number, KeptDelivery>,
  ): void {
    const now = this.#deps.clock();
    for (const { lane, item } of before) {
      const row = waiting.get(item.position);
      if (row === undefined) this.#lanes.drop(lane, item, now);
      else if (row.resent === item.resent) {
        waiting.delete(item.position);
        this.#lanes.bringForward(lane, item, row.next_attempt_at, now);
      }
    }
    // What was done with since has a row until that is saved.
    const { positions } = this.#saver.changes;
    for (const row of waiting.values())
      if (!positions.has(row.position)) this.#lanes.add(fromRow(row), now);
  }

  /**
   * Ends it. What is under way has `graceMs` to be answered; then it is broken off, and made again by whoever
   * goes on here. Resolves when all that was done is on disk.
   */
  async close(graceMs: number): Promise<void> {
    if (this.#state === 'open') this.#state = 'closing';
    if (this.#inFlight > 0 && graceMs > 0) await this.#idle(graceMs);
    await this.#saver.now();
    this.abandon();
  }

  /** Ends it at once and writes nothing any more. */
  abandon(): void {
    this.#state = 'closed';
    this.#saver.close();
    this.#backlog.close();
    this.#subscribed.target.close();
  }

  /** Resolves when nothing is under way, or after a time. */
  #idle(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #hasRoom(): boolean {
    const enough = this.#pace.isFailing ? 1 : ENOUGH_READY;
    return (
      this.#state === 'open' &&
      this.#lanes.ready < enough &&
      this.#backlog.hasRoom &&
      !this.#saver.isFailing
    );
  }

  #take({ items, through }: Intake): void {
    const now = this.#deps.clock();
    for (const item of items) {
      this.#backlog.add(item);
      if (this.#lanes.isKept(item.key)) this.#backlog.keep(item, now);
      this.#lanes.add(item, now);
    }
    this.#backlog.readThrough = through;
    this.#saver.soon(this.#saver.changes.isEmpty ? SAVE_IDLE_AFTER_MS : SAVE_AFTER_MS);
  }

  /** By turns from what waits and from what was never tried, so that neither keeps the other back. */
  #next(): Lane | undefined {
    const atOnce = this.#pace.atOnce(this.#deps.shares.atOnce());
    if (this.#state !== 'open' || this.#lanes.ready === 0 || this.#inFlight >= atOnce)
      return undefined;
    if (!this.#deps.isHeld()) return undefined;
    if (!this.#deps.shares.mayBegin(this.#resume)) return undefined;
    const mayTryNew = this.#pace.mayTryNew(this.#deps.clock(), this.#newInFlight);
    const takeNew = () => (mayTryNew ? this.#lanes.take('new') : undefined);
    this.#dueWasLast = !this.#dueWasLast;
    return this.#dueWasLast
      ? (this.#lanes.take('due') ?? takeNew())
      : (takeNew() ?? this.#lanes.take('due'));
  }

  async #attempt(lane: Lane): Promise<void> {
    const [item] = lane.items;
    if (item === undefined) throw new Error('a lane has at least one delivery');
    const isNew = item.row === 'none' ? 1 : 0;
    this.#inFlight += 1;
    this.#newInFlight += isNew;
    this.#deps.shares.begun();
    const outcome = await this.#send(item);
    this.#inFlight -= 1;
    this.#newInFlight -= isNew;
    this.#deps.shares.ended();
    if (this.#state !== 'closed') this.#note(lane, item, outcome);
    if (this.#inFlight === 0) this.#onIdle?.();
    this.begin();
  }

  async #send(item: PendingDelivery): Promise<WebhookOutcome | Unsent> {
    const { target, keys, subscriptionId } = this.#subscribed;
    let { text } = item as { text: string | null | undefined };
    try {
      text ??= await this.#deps.deliveries.text(this.#subscribed, item.position);
    } catch (error) {
      this.#deps.onFailure(error);
      return 'unread';
    }
    if (text === undefined) return 'gone';
    const id = deliveryId(subscriptionId, item.position);
    return target.post(messageOf(id, text, keys, this.#deps.clock()));
  }

  #note(lane: Lane, item: PendingDelivery, outcome: WebhookOutcome | Unsent): void {
    const now = this.#deps.clock();
    if (item.dropped) this.#lanes.done(lane, now);
    else if (outcome === 'gone') this.#finish(lane, item, now);
    else if (outcome === 'unread') {
      item.nextAttemptAt = now + READ_AGAIN_AFTER_MS;
      this.#lanes.again(lane, now);
    } else {
      const verdict = verdictOf(outcome, now);
      if (verdict.delivered) this.#delivered(lane, item, now);
      else this.#failed(lane, item, verdict);
    }
  }

  #delivered(lane: Lane, item: PendingDelivery, now: number): void {
    this.#deps.count('delivered');
    this.#lastDeliveredAt = now;
    this.#saver.statusChanged();
    if (this.#pace.succeeded()) this.#lanes.hurry(now, RECOVER_WITHIN_MS, this.#deps.random);
    this.#finish(lane, item, now);
  }

  #finish(lane: Lane, item: PendingDelivery, now: number): void {
    this.#lanes.done(lane, now);
    this.#backlog.finish(item);
    this.#saver.soon(SAVE_AFTER_MS);
  }

  /** It waits from here on, and with it what stands behind it in its lane; or it is parked. */
  #failed(lane: Lane, item: PendingDelivery, verdict: Verdict & { delivered: false }): void {
    const { at: now } = verdict.failure;
    this.#deps.count('failed');
    this.#lastFailure = verdict.failure;
    this.#saver.statusChanged();
    for (const each of lane.items) if (each.row === 'none') this.#backlog.keep(each, now);
    noteFailure(item, verdict, this.#deps.random());
    this.#pace.failed(now, item.notBefore);
    if (item.state === 'waiting') this.#lanes.again(lane, now);
    else {
      this.#lanes.done(lane, now);
      this.#backlog.park();
      this.#deps.count('parked');
      this.#deps.onParked();
    }
    this.#saver.changes.save(item);
    this.#saver.soon(SAVE_AFTER_MS);
    if (verdict.isGone && this.#state === 'open') {
      this.#state = 'closing';
      this.#deps.onGone();
    }
  }
}
