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
 * deliveries writes the change and the new revision to the store first, then calls `reload`, `sync` or `remove`.
 */
export interface Dispatcher {
  start(): Promise<void>;
  /** Called after a subscription was created or changed. If this process holds the job, the change is in effect when it resolves. */
  reload(subscription: SubscriptionKey): Promise<void>;
  /**
   * Called after deliveries were resent or deleted.
   *
   * @param position of the changed delivery; null for any.
   */
  sync(subscription: SubscriptionKey, position: number | null): Promise<void>;
  /** Called after a subscription was deleted. */
  remove(subscription: SubscriptionKey): void;
  removeSpace(spaceId: string): void;
  /** Returns the position of a subscription as far as this process knows it. */
  positionOf(row: Pick<SubscriptionRow, 'id' | 'position'>): number;
  /** Returns why an active subscription does not read further events; null if it does. */
  heldBy(row: SubscriptionRow, totals: Totals): string | null;
  /** Returns the number of waiting and parked deliveries if this process holds the job. */
  totals(): Pick<Totals, 'waiting' | 'parked'>;
  /** Returns the lowest position of the active subscriptions of a space; null if it has none. */
  position(spaceId: string): Promise<number | null>;
  /** Returns the number of events that open outboxes have not finished. */
  lag(): Promise<number>;
  close(): Promise<void>;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { store, subscriptions, sealer, leases } = deps;
  const job = leases.job('deliveries', async (term) => new DispatchJob(deps, term));
  const outboxes = () => [...(job.work?.outboxes ?? [])];
  // The holder of the job knows the position in memory, other processes that of the last checkpoint.
  const positionOf: Dispatcher['positionOf'] = ({ id, position }) =>
    Math.max(position, job.work?.outboxes.get(id)?.position ?? 0);

  /** Runs an operation if this process holds the job; otherwise notifies the holder. */
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
        return 'Its secret cannot be decrypted, since the secret of the installation was another one; give it a new secret.';
      return isOverRowLimit(totals)
        ? `More than ${MAX_ROWS} deliveries, or 256 MiB of them, wait or are parked; mend the target, or send them again or delete them.`
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
