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
  readonly isHeld: () => boolean;
  /**
   * Opens the outbox of an active subscription, unless its secret is unreadable.
   *
   * @param hasDeliveries `false` if there are no waiting or parked deliveries.
   */
  readonly open: (row: SubscriptionRow, hasDeliveries: boolean) => Promise<void>;
  /** Called before a failed operation is retried. `subscription` is `null` if the subscriptions could not be read. */
  readonly onFailure: (subscription: SubscriptionKey | null, error: unknown) => void;
}

const MAX_UPDATES = 4;
const PAGE_SIZE = 100;
const RETRY_DELAY_MS = 5000;

/**
 * Keeps the open outboxes consistent with the stored subscriptions. Every stored change increments a revision. For
 * changes by this process, the caller calls `reload`, `sync` or `remove`. `wake` finds changes by other processes by
 * comparing revisions. A subscription is in one of these states:
 *
 * - unknown: no revision was seen. The next comparison opens the subscription if it is active.
 * - changing: an operation holds the mutex of the subscription. Comparisons skip the subscription and other operations wait.
 * - seen: the outbox is open at the revision that was seen, or the secret was unreadable at that revision.
 *
 * After a failed operation the subscription is reloaded five seconds later.
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
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
        return RETRY_DELAY_MS;
      },
    });
  }

  /** Compares all subscriptions with the store in the background. */
  wake(): void {
    this.#comparing.wake();
  }

  /** Closes the outbox of a subscription and aborts its attempts. Reopens the outbox if the subscription is active. */
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

  /** Applies changes of delivery rows to the outbox. Never rejects. Retries after a failure. */
  sync(key: SubscriptionKey, position: number | null): Promise<void> {
    return this.#mutex
      .runExclusive(key, async () => this.#options.outboxes.get(key.subscriptionId)?.sync(position))
      .catch((error) => this.#retry(key, error));
  }

  remove(key: SubscriptionKey): void {
    const { subscriptionId: id } = key;
    this.#options.outboxes.remove(id)?.abandon();
    this.#seen.delete(id);
    // A pending operation may still open the outbox.
    if (this.#mutex.isLocked(id)) void this.#reloadOrRetry(key);
  }

  removeSpace(spaceId: string): void {
    for (const { key } of [...this.#options.outboxes.inSpace(spaceId)]) this.remove(key);
    for (const key of this.#mutex.lockedInSpace(spaceId)) this.remove(key);
  }

  retry(key: SubscriptionKey): void {
    if (this.#closing) return;
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      void this.#reloadOrRetry(key);
    }, RETRY_DELAY_MS);
    this.#retries.add(timer);
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const timer of this.#retries) clearTimeout(timer);
    await this.#comparing.close();
    await this.#mutex.settled();
  }

  async #compare(): Promise<void> {
    // A subscription that is created from now on may be missing in `active`.
    const inactive = new Map(this.#seen);
    const active = await this.#options.subscriptions.active();
    for (const { id } of active) inactive.delete(id);
    await this.#openNew(
      active.filter(({ id }) => !this.#seen.has(id) && !this.#mutex.isLocked(id)),
    );
    const changed = active.filter((row) => !this.#isCurrent(row)).values();
    await Promise.all(Array.from({ length: MAX_UPDATES }, () => this.#update(changed)));
    for (const row of inactive.values()) await this.#closeInactive(keyOf(row)).catch(() => {});
  }

  /** Opens subscriptions in pages. After a takeover of the lease, `rows` contains all active subscriptions. */
  async #openNew(rows: readonly ActiveSubscription[]): Promise<void> {
    const { subscriptions, outboxes } = this.#options;
    for (let at = 0; at < rows.length && !this.#closing; at += PAGE_SIZE) {
      const page = rows.slice(at, at + PAGE_SIZE);
      const reading = subscriptions.findActive(page);
      // The operations below handle a rejection, but they may start after it. Until then, it must not count as unhandled.
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
    // A subscription with a pending operation is left to the next comparison.
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

  /** Closes the outbox of an inactive subscription. Writes a checkpoint if the subscription still exists. */
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

class SubscriptionMutex {
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

  async settled(): Promise<void> {
    await Promise.allSettled([...this.#last.values()].map(({ done }) => done));
  }
}
