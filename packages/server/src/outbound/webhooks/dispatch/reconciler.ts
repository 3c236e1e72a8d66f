import { BackgroundWork } from '../../../lib/scheduling/index.ts';
import type { SubscriptionRow } from '../../../storage/ports/index.ts';
import type { SubscriptionKey } from '../deliveries/delivery.repository.ts';
import type {
  ActiveSubscription,
  SubscriptionRepository,
} from '../subscriptions/subscription.repository.ts';
import type { OpenOutboxes } from './open-outboxes.ts';

export interface ReconcilerOptions {
  readonly subscriptions: SubscriptionRepository;
  readonly outboxes: OpenOutboxes;
  /** Reports whether this process still holds the job. */
  readonly isHeld: () => boolean;
  /**
   * Opens the outbox of an active subscription, unless its secret is unreadable.
   *
   * @param hasDeliveries false if no delivery waits or is parked.
   */
  readonly open: (row: SubscriptionRow, hasDeliveries: boolean) => Promise<void>;
  /** The operation is retried. Null if the subscriptions could not be read. */
  readonly onFailure: (subscription: SubscriptionKey | null, error: unknown) => void;
}

/** Subscriptions that are updated concurrently. */
const MAX_UPDATES = 4;
/** Subscriptions that are read in one statement. */
const PAGE_SIZE = 100;
const RETRY_AFTER_MS = 5000;

/**
 * Keeps the open outboxes consistent with the subscriptions in the store, where each change increments a revision.
 * The process that makes a change calls `reload`, `sync` or `remove`. `wake` finds all other changes by comparing
 * revisions. To this class a subscription is in one of these states:
 *
 * - unknown: no revision was seen. The next comparison opens it if it is active.
 * - changing: an operation holds its mutex. Comparisons skip it, further operations wait.
 * - seen: it is open at the revision that was seen, or its secret was unreadable at this revision.
 *
 * A failed operation is retried after five seconds by a reload.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  /** Last revision of each subscription. */
  readonly #seen = new Map<string, ActiveSubscription>();
  readonly #mutex = new SubscriptionMutex();
  readonly #retries = new Set<NodeJS.Timeout>();
  readonly #comparing: BackgroundWork;
  #closing = false;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#comparing = new BackgroundWork({
      step: async () => {
        if (options.isHeld()) await this.#compare();
        return false;
      },
      onFailure: (error) => {
        options.onFailure(null, error);
        return RETRY_AFTER_MS;
      },
    });
  }

  /** Compares all subscriptions with the store in the background. */
  wake(): void {
    this.#comparing.wake();
  }

  /** Closes the outbox of a subscription, aborts its attempts, and opens it as it is stored now if it is active. */
  reload(key: SubscriptionKey): Promise<void> {
    const { outboxes, subscriptions } = this.#options;
    const { spaceId, subscriptionId: id } = key;
    return this.#mutex.runExclusive(key, async () => {
      await outboxes.remove(id)?.close(0);
      this.#seen.delete(id);
      const row = await subscriptions.find({ spaceId }, id);
      if (row?.state === 'active') await this.#open(row, true);
    });
  }

  /** Applies changes of delivery rows to the outbox. Never rejects. */
  sync(key: SubscriptionKey, position: number | null): Promise<void> {
    return this.#mutex
      .runExclusive(key, async () => this.#options.outboxes.get(key.subscriptionId)?.sync(position))
      .catch((error) => this.#retry(key, error));
  }

  /** Closes the outbox of a deleted subscription. */
  remove(key: SubscriptionKey): void {
    const { subscriptionId: id } = key;
    this.#options.outboxes.remove(id)?.abandon();
    this.#seen.delete(id);
    // An operation in progress may open it after this.
    if (this.#mutex.isLocked(id)) void this.#reloadOrRetry(key);
  }

  removeSpace(spaceId: string): void {
    for (const { key } of [...this.#options.outboxes.inSpace(spaceId)]) this.remove(key);
    for (const key of this.#mutex.lockedInSpace(spaceId)) this.remove(key);
  }

  /** Reloads a subscription after the usual delay. */
  retry(key: SubscriptionKey): void {
    if (this.#closing) return;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      void this.#reloadOrRetry(key);
    }, RETRY_AFTER_MS);
    this.#retries.add(timer);
  }

  /** Resolves when no operation runs any more. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const timer of this.#retries) clearTimeout(timer);
    await this.#comparing.close();
    await this.#mutex.settled();
  }

  async #compare(): Promise<void> {
    const active = await this.#options.subscriptions.active();
    const inactive = new Map(this.#seen);
    for (const { id } of active) inactive.delete(id);
    await this.#openNew(
      active.filter(({ id }) => !this.#seen.has(id) && !this.#mutex.isLocked(id)),
    );
    const changed = active.filter((row) => !this.#isCurrent(row)).values();
    await Promise.all(Array.from({ length: MAX_UPDATES }, () => this.#update(changed)));
    for (const row of inactive.values()) await this.#closeInactive(keyOf(row)).catch(() => {});
  }

  /** Opens subscriptions a page at a time: after a takeover these are all active ones. */
  async #openNew(rows: readonly ActiveSubscription[]): Promise<void> {
    const { subscriptions, outboxes } = this.#options;
    for (let at = 0; at < rows.length && !this.#closing; at += PAGE_SIZE) {
      const page = rows.slice(at, at + PAGE_SIZE);
      const reading = subscriptions.findActive(page);
      // Each operation below handles a rejection, but may start after it.
      reading.catch(() => {});
      const opening = page.map((one) =>
        this.#mutex
          .runExclusive(keyOf(one), async () => {
            const found = (await reading).find(({ row }) => row.id === one.id);
            if (found === undefined || outboxes.get(one.id) !== undefined) return;
            await this.#open(found.row, found.hasDeliveries);
          })
          .catch((error) => {
            this.#options.onFailure(null, error);
            this.retry(keyOf(one));
          }),
      );
      await Promise.all(opening);
    }
  }

  async #open(row: SubscriptionRow, hasDeliveries: boolean): Promise<void> {
    if (this.#closing) return;
    this.#seen.set(row.id, row);
    await this.#options.open(row, hasDeliveries);
  }

  #isCurrent({ id, revision, deliveries_revision }: ActiveSubscription): boolean {
    const seen = this.#seen.get(id);
    // A subscription that is changing now is compared the next time.
    if (this.#mutex.isLocked(id)) return true;
    return seen?.revision === revision && seen.deliveries_revision === deliveries_revision;
  }

  async #update(rows: Iterable<ActiveSubscription>): Promise<void> {
    for (const row of rows) {
      if (this.#closing || this.#isCurrent(row)) continue;
      if (this.#seen.get(row.id)?.revision !== row.revision) await this.#reloadOrRetry(keyOf(row));
      else {
        await this.sync(keyOf(row), null);
        this.#seen.set(row.id, row);
      }
    }
  }

  /** Closes an outbox with a checkpoint if the subscription still exists. */
  async #closeInactive(key: SubscriptionKey): Promise<void> {
    const row = await this.#options.subscriptions.find(key, key.subscriptionId);
    if (row === undefined) this.remove(key);
    else await this.#reloadOrRetry(key);
  }

  #reloadOrRetry(key: SubscriptionKey): Promise<void> {
    return this.reload(key).catch((error) => this.#retry(key, error));
  }

  #retry(key: SubscriptionKey, error: unknown): void {
    this.#options.onFailure(key, error);
    this.retry(key);
  }
}

function keyOf(row: Pick<SubscriptionRow, 'space_id' | 'id'>): SubscriptionKey {
  return { spaceId: row.space_id, subscriptionId: row.id };
}

/** Serialises the operations of each subscription. */
class SubscriptionMutex {
  /** The last operation of each subscription that has one. */
  readonly #last = new Map<string, { readonly spaceId: string; readonly done: Promise<void> }>();

  /** Runs `work` after the pending operations of the subscription have settled, including failed ones. */
  runExclusive(
    { spaceId, subscriptionId: id }: SubscriptionKey,
    work: () => Promise<void>,
  ): Promise<void> {
    const previous = this.#last.get(id)?.done ?? Promise.resolve();
    const done = previous
      .catch(() => {})
      .then(work)
      .finally(() => {
        if (this.#last.get(id)?.done === done) this.#last.delete(id);
      });
    this.#last.set(id, { spaceId, done });
    return done;
  }

  isLocked(subscriptionId: string): boolean {
    return this.#last.has(subscriptionId);
  }

  lockedInSpace(spaceId: string): SubscriptionKey[] {
    return [...this.#last]
      .filter(([, one]) => one.spaceId === spaceId)
      .map(([subscriptionId]) => ({ spaceId, subscriptionId }));
  }

  /** Resolves when the operations that are pending now have settled. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#last.values()].map(({ done }) => done));
  }
}
