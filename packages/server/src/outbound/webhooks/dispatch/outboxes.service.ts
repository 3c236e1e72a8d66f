import type { Leases, SubscriptionRow } from '../../../storage/ports/index.ts';
import type { SubscriptionKey, Totals } from '../deliveries/delivery.repository.ts';
import { signingKeys } from '../subscriptions/subscription.rules.ts';
import { isTooMuch, MAX_KEPT } from './backlog.ts';
import { beginServing, type ServingDeps } from './serving.service.ts';

export type { DeliveryEvent } from './serving.service.ts';

export interface OutboxesDeps extends ServingDeps {
  readonly leases: Leases;
}

/**
 * Serves all subscriptions that are active, in one process at a time. Whoever changes one raises its revision in the
 * store first; then this tells whoever serves it.
 */
export interface Outboxes {
  start(): Promise<void>;
  /** A subscription was made or changed. When this resolves it is served as it is now, if that is done here. */
  reload(subscription: SubscriptionKey): Promise<void>;
  /** Deliveries of it were sent again or deleted: that at a position, or null for any. */
  sync(subscription: SubscriptionKey, position: number | null): Promise<void>;
  /** A subscription was deleted. */
  forget(subscription: SubscriptionKey): void;
  forgetSpace(spaceId: string): void;
  /** Up to where a subscription has got. */
  positionOf(row: Pick<SubscriptionRow, 'id' | 'position'>): number;
  /** Why a subscription that is active is not served, or not further than it has got. */
  heldBy(row: SubscriptionRow, totals: Totals): string | null;
  /** Waiting and parked ones of all that are served here. */
  totals(): Pick<Totals, 'waiting' | 'parked'>;
  /** Where the slowest of a space has got to; null when it has none that is active. */
  position(spaceId: string): Promise<number | null>;
  /** Events of their spaces that those that are served here have yet to look at. */
  lag(): Promise<number>;
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>;
}

export function createOutboxes(deps: OutboxesDeps): Outboxes {
  const { store, subscriptions, sealer, leases } = deps;
  const job = leases.job('deliveries', async (term) => beginServing(deps, term));
  const servedHere = () => [...(job.work?.active.all() ?? [])];
  // What is saved now and then is known here as it is, and elsewhere as it was saved.
  const positionOf: Outboxes['positionOf'] = ({ id, position }) =>
    Math.max(position, job.work?.active.get(id)?.position ?? 0);

  /** Where it is served, or else whoever serves it is told. */
  async function where(here: (work: NonNullable<typeof job.work>) => unknown): Promise<void> {
    if (job.work === null) job.notify('');
    else await here(job.work);
  }

  return {
    start: job.start,
    reload: (key) => where((work) => work.reload(key)),
    sync: (key, position) => where((work) => work.sync(key, position)),
    forget: (key) => void where((work) => work.forget(key)),
    forgetSpace: (spaceId) => void where((work) => work.forgetSpace(spaceId)),
    positionOf,
    heldBy: (row, totals) => {
      if (row.state !== 'active') return null;
      if (signingKeys(row, sealer).length === 0)
        return 'Its secret cannot be decrypted, since the secret of the installation was another one; give it a new secret.';
      return isTooMuch(totals)
        ? `More than ${MAX_KEPT} deliveries, or 256 MiB of them, wait or are parked; mend the target, or send them again or delete them.`
        : null;
    },
    totals: () => {
      const sum = { waiting: 0, parked: 0 };
      for (const { totals } of servedHere()) {
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
      for (const { key, position } of servedHere())
        lag += Math.max(0, (heads.get(key.spaceId) ?? 0) - position);
      return lag;
    },
    close: async () => job[Symbol.asyncDispose](),
  };
}
