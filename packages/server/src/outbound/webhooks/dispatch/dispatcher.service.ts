import type { Leases, SubscriptionRow } from '../../../storage/ports/index.ts';
import type { SubscriptionKey, Totals } from '../deliveries/delivery.repository.ts';
import { signingKeys } from '../subscriptions/subscription.rules.ts';
import { isOverRowLimit, MAX_ROWS } from './backlog.ts';
import { type DispatchDeps, DispatchJob } from './dispatch-job.ts';

export interface DispatcherDeps extends DispatchDeps {
  readonly leases: Leases;
}

/**
 * Delivers events to all active subscriptions, in one process at a time. Code that changes a subscription or its
 * deliveries must first store the change with a new revision and then call `reload`, `sync` or `remove`.
 *
 * @example
 * await deliveries.unpark({ spaceId, subscriptionId }, null, clock());
 * await dispatcher.sync({ spaceId, subscriptionId }, null);
 */
export interface Dispatcher {
  start(): Promise<void>;
  /** Applies a new or changed subscription. If this process holds the lease, the change is in effect when the promise resolves. */
  reload(subscription: SubscriptionKey): Promise<void>;
  /**
   * Applies resent and deleted deliveries.
   *
   * @param position the changed delivery, or `null` for any number of deliveries.
   */
  sync(subscription: SubscriptionKey, position: number | null): Promise<void>;
  remove(subscription: SubscriptionKey): void;
  removeSpace(spaceId: string): void;
  /**
   * Returns the latest position that this process knows. In the process that holds the lease, this position may be
   * later than the stored position.
   */
  positionOf(row: Pick<SubscriptionRow, 'id' | 'position'>): number;
  /** Returns the reason why an active subscription does not read events, or `null` if the subscription reads events. */
  heldBy(row: SubscriptionRow, totals: Totals): string | null;
  totals(): Pick<Totals, 'waiting' | 'parked'>;
  /** Returns the number of milliseconds for which the longest waiting delivery of the open outboxes has waited, or 0. */
  longestWaitMs(): number;
  /** Returns the lowest position of the active subscriptions, or `null` if there are none. */
  position(spaceId: string): Promise<number | null>;
  /** Returns the number of events after the positions of the open outboxes. */
  lag(): Promise<number>;
  close(): Promise<void>;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { store, subscriptions, sealer, leases, clock } = deps;
  const job = leases.job('deliveries', async (term) => new DispatchJob(deps, term));
  const outboxes = () => [...(job.work?.outboxes ?? [])];
  const positionOf: Dispatcher['positionOf'] = ({ id, position }) =>
    Math.max(position, job.work?.outboxes.get(id)?.position ?? 0);

  /** Runs an operation if this process holds the lease. Otherwise notifies the holder. */
  function run<T>(operation: (reconciler: DispatchJob['reconciler']) => T): T | undefined {
    if (job.work !== null) return operation(job.work.reconciler);
    job.notify('');
    return undefined;
  }

  return {
    start: job.start,
    reload: async (key) => run((reconciler) => reconciler.reload(key)),
    sync: async (key, position) => run((reconciler) => reconciler.sync(key, position)),
    remove: (key) => run((reconciler) => reconciler.remove(key)),
    removeSpace: (spaceId) => run((reconciler) => reconciler.removeSpace(spaceId)),
    positionOf,
    heldBy: (row, totals) => {
      if (row.state !== 'active') return null;
      if (signingKeys(row, sealer).length === 0)
        return 'The secret cannot be decrypted because the installation secret has changed. Rotate the secret of this subscription.';
      return isOverRowLimit(totals)
        ? `The waiting and parked deliveries have reached the limit of ${MAX_ROWS} deliveries or 256 MiB. Fix the target, then resend or delete the deliveries.`
        : null;
    },
    totals: () => {
      const sum = { waiting: 0, parked: 0 };
      for (const { totals } of outboxes()) {
        sum.waiting += totals.waiting;
        sum.parked += totals.parked;
      }
      return sum;
    },
    longestWaitMs: () => {
      const now = clock();
      return Math.max(0, ...outboxes().map(({ waitingSince }) => now - (waitingSince ?? now)));
    },
    position: async (spaceId) => {
      const rows = await subscriptions.positions(spaceId);
      return rows.length === 0 ? null : Math.min(...rows.map(positionOf));
    },
    lag: async () => {
      const heads = await store.heads();
      let lag = 0;
      for (const { key, position } of outboxes())
        lag += Math.max(0, (heads.get(key.spaceId) ?? 0) - position);
      return lag;
    },
    close: async () => job[Symbol.asyncDispose](),
  };
}
