import { recordAction } from '../../../platform/audit/index.ts';
import type { Database, SubscriptionRow } from '../../../storage/ports/index.ts';
import { inTransaction } from '../../../storage/ports/index.ts';
import type { SubscriptionKey } from '../deliveries/delivery.repository.ts';

export type ReplayRow = Pick<
  SubscriptionRow,
  | 'state'
  | 'replay_number'
  | 'replay_from'
  | 'replay_position'
  | 'replay_through'
  | 'replay_started_at'
  | 'replay_ended_at'
  | 'replay_state'
>;

export interface NewReplay {
  /** Earliest time of receipt, in Unix milliseconds. */
  readonly from: number;
  /** Exclusive start position. */
  readonly position: number;
  /** Last position. */
  readonly through: number;
  readonly now: number;
}

export interface ReplayRepository {
  /**
   * Starts a replay. Returns the running replay if the subscription has one, `inactive` if the subscription is not active,
   * and `undefined` if the subscription does not exist.
   */
  start(
    subscription: SubscriptionKey,
    replay: NewReplay,
  ): Promise<{ readonly row: ReplayRow; readonly isNew: boolean } | 'inactive' | undefined>;
  /** Cancels the running replay. Returns `false` if no replay is running. */
  cancel(subscription: SubscriptionKey, now: number): Promise<boolean>;
}

const COLUMNS = [
  'state',
  'replay_number',
  'replay_from',
  'replay_position',
  'replay_through',
  'replay_started_at',
  'replay_ended_at',
  'replay_state',
] as const;

export function createReplayRepository(db: Database): ReplayRepository {
  return {
    start: ({ spaceId, subscriptionId }, { from, position, through, now }) =>
      inTransaction(db, async (trx) => {
        const row = await trx
          .selectFrom('subscriptions')
          .where('space_id', '=', spaceId)
          .where('id', '=', subscriptionId)
          .select(COLUMNS)
          .executeTakeFirst();
        if (row === undefined) return undefined;
        if (row.replay_state === 'running') return { row, isNew: false };
        if (row.state !== 'active') return 'inactive';
        const isEmpty = position >= through;
        const started = {
          replay_number: row.replay_number + 1,
          replay_from: from,
          replay_position: position,
          replay_through: through,
          replay_started_at: now,
          replay_ended_at: isEmpty ? now : null,
          replay_state: isEmpty ? ('finished' as const) : ('running' as const),
        };
        await trx
          .updateTable('subscriptions')
          .set(({ eb }) => ({ ...started, revision: eb('revision', '+', 1) }))
          .where('space_id', '=', spaceId)
          .where('id', '=', subscriptionId)
          .execute();
        await recordAction(trx, {
          action: 'deliveries.replayed',
          spaceId,
          resourceId: subscriptionId,
          details: { from: new Date(from).toISOString() },
        });
        return { row: { ...row, ...started }, isNew: true };
      }),
    cancel: ({ spaceId, subscriptionId }, now) =>
      inTransaction(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('subscriptions')
          .set(({ eb }) => ({
            replay_state: 'cancelled',
            replay_ended_at: now,
            revision: eb('revision', '+', 1),
          }))
          .where('space_id', '=', spaceId)
          .where('id', '=', subscriptionId)
          .where('replay_state', '=', 'running')
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await recordAction(trx, {
          action: 'replay.cancelled',
          spaceId,
          resourceId: subscriptionId,
        });
        return true;
      }),
  };
}
