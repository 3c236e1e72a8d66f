import type { SpaceAccess } from '../../../identity/index.ts';
import { recordAction } from '../../../platform/audit/index.ts';
import type { Database, SubscriptionRow } from '../../../storage/ports/index.ts';
import { inTransaction, runWrites, type Write } from '../../../storage/ports/index.ts';
import { MAX_SUBSCRIPTIONS, type StoredSecret } from './subscription.rules.ts';

export type SubscriptionWrite = Partial<
  Pick<SubscriptionRow, 'url' | 'types' | 'sources' | 'state' | 'end_reason'>
>;

export interface SubscriptionRepository {
  /**
   * Returns `no-space` if the space was deleted, and `too-many` if the space already has `MAX_SUBSCRIPTIONS`
   * subscriptions.
   */
  insert(
    row: SubscriptionRow,
    joined: readonly Write[],
  ): Promise<'inserted' | 'no-space' | 'too-many'>;
  /** Returns subscriptions in ID order, starting after the ID `after`. */
  list(space: SpaceAccess, after: string | null, limit: number): Promise<SubscriptionRow[]>;
  find(space: Pick<SpaceAccess, 'spaceId'>, id: string): Promise<SubscriptionRow | undefined>;
  /**
   * Returns `false` if the subscription does not exist.
   *
   * @param retryAt new time of the next attempt for all waiting deliveries. `null` leaves the times unchanged.
   */
  change(
    space: SpaceAccess,
    id: string,
    change: SubscriptionWrite,
    retryAt: number | null,
  ): Promise<boolean>;
  /** Returns `false` if the subscription does not exist. */
  setSecrets(
    space: SpaceAccess,
    id: string,
    next: (before: SubscriptionRow) => readonly StoredSecret[],
  ): Promise<boolean>;
  /**
   * Ends an active subscription. Returns `false` and changes nothing if the subscription is not active or `revision` is
   * outdated, because the target may have changed.
   */
  end(spaceId: string, id: string, revision: number, reason: string): Promise<boolean>;
  /** Returns `false` if the subscription does not exist. */
  remove(space: SpaceAccess, id: string): Promise<boolean>;
  active(): Promise<ActiveSubscription[]>;
  findActive(some: readonly ActiveSubscription[]): Promise<FoundSubscription[]>;
  positions(spaceId: string): Promise<Pick<SubscriptionRow, 'id' | 'position'>[]>;
  /** Returns the lowest stored position of the active subscriptions of a space, or `null` if there are none. */
  lowestPosition(spaceId: string): Promise<number | null>;
}

export interface FoundSubscription {
  readonly row: SubscriptionRow;
  readonly hasDeliveries: boolean;
}

export type ActiveSubscription = Pick<
  SubscriptionRow,
  'space_id' | 'id' | 'revision' | 'deliveries_revision'
>;

export function createSubscriptionRepository(db: Database): SubscriptionRepository {
  const positions: SubscriptionRepository['positions'] = (spaceId) =>
    db
      .selectFrom('subscriptions')
      .select(['id', 'position'])
      .where('space_id', '=', spaceId)
      .where('state', '=', 'active')
      .execute();
  const find = (from: Database, spaceId: string, id: string) =>
    from
      .selectFrom('subscriptions')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('id', '=', id)
      .executeTakeFirst();
  return {
    insert: (row, joined) =>
      inTransaction(db, async (trx) => {
        const space = trx.selectFrom('spaces').select('id').where('id', '=', row.space_id);
        if ((await space.executeTakeFirst()) === undefined) return 'no-space';
        const others = await trx
          .selectFrom('subscriptions')
          .select('id')
          .where('space_id', '=', row.space_id)
          .execute();
        if (others.length >= MAX_SUBSCRIPTIONS) return 'too-many';
        await trx.insertInto('subscriptions').values(row).execute();
        await recordAction(trx, {
          action: 'subscription.created',
          spaceId: row.space_id,
          resourceId: row.id,
        });
        await runWrites(trx, joined);
        return 'inserted';
      }),
    list: ({ spaceId }, after, limit) =>
      db
        .selectFrom('subscriptions')
        .selectAll()
        .where('space_id', '=', spaceId)
        .where('id', '>', after ?? '')
        .orderBy('id')
        .limit(limit)
        .execute(),
    find: ({ spaceId }, id) => find(db, spaceId, id),
    change: ({ spaceId }, id, change, retryAt) =>
      inTransaction(db, async (trx) => {
        if ((await find(trx, spaceId, id)) === undefined) return false;
        // Deliveries are written before their subscription, as in checkpoints. This order prevents deadlocks.
        if (retryAt !== null)
          await trx
            .updateTable('deliveries')
            .set({ next_attempt_at: retryAt })
            .where('space_id', '=', spaceId)
            .where('subscription_id', '=', id)
            .where('state', '=', 'waiting')
            .execute();
        await trx
          .updateTable('subscriptions')
          .set(({ eb }) => ({ ...change, revision: eb('revision', '+', 1) }))
          .where('space_id', '=', spaceId)
          .where('id', '=', id)
          .execute();
        await recordAction(trx, {
          action: 'subscription.changed',
          spaceId,
          resourceId: id,
          details: { changed: Object.keys(change) },
        });
        return true;
      }),
    setSecrets: ({ spaceId }, id, next) =>
      inTransaction(db, async (trx) => {
        const before = await find(trx, spaceId, id);
        if (before === undefined) return false;
        await trx
          .updateTable('subscriptions')
          .set(({ eb }) => ({
            secrets: JSON.stringify(next(before)),
            revision: eb('revision', '+', 1),
          }))
          .where('space_id', '=', spaceId)
          .where('id', '=', id)
          .execute();
        await recordAction(trx, { action: 'subscription.secret-rotated', spaceId, resourceId: id });
        return true;
      }),
    end: async (spaceId, id, revision, reason) => {
      const { numUpdatedRows } = await db
        .updateTable('subscriptions')
        .set({ state: 'ended', end_reason: reason, revision: revision + 1 })
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .where('state', '=', 'active')
        .where('revision', '=', revision)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    remove: ({ spaceId }, id) =>
      inTransaction(db, async (trx) => {
        // The cascade would delete the deliveries after their subscription, which could end in a deadlock; see `change`.
        for (const table of ['deliveries', 'successful_deliveries'] as const)
          await trx
            .deleteFrom(table)
            .where('space_id', '=', spaceId)
            .where('subscription_id', '=', id)
            .execute();
        const { numDeletedRows } = await trx
          .deleteFrom('subscriptions')
          .where('space_id', '=', spaceId)
          .where('id', '=', id)
          .executeTakeFirst();
        if (numDeletedRows === 0n) return false;
        await recordAction(trx, { action: 'subscription.deleted', spaceId, resourceId: id });
        return true;
      }),
    active: () =>
      db
        .selectFrom('subscriptions')
        .select(['space_id', 'id', 'revision', 'deliveries_revision'])
        .where('state', '=', 'active')
        .execute(),
    findActive: async (some) => {
      const rows = await db
        .selectFrom('subscriptions')
        .selectAll()
        .select(({ exists, selectFrom }) =>
          exists(
            selectFrom('deliveries')
              .select('position')
              .whereRef('deliveries.space_id', '=', 'subscriptions.space_id')
              .whereRef('deliveries.subscription_id', '=', 'subscriptions.id'),
          ).as('has_deliveries'),
        )
        .where('space_id', 'in', [...new Set(some.map((one) => one.space_id))])
        .where(
          'id',
          'in',
          some.map(({ id }) => id),
        )
        .where('state', '=', 'active')
        .execute();
      return rows.map(({ has_deliveries, ...row }) => ({
        row,
        hasDeliveries: Boolean(has_deliveries),
      }));
    },
    positions,
    lowestPosition: async (spaceId) => {
      const rows = await positions(spaceId);
      return rows.length === 0 ? null : Math.min(...rows.map(({ position }) => position));
    },
  };
}
