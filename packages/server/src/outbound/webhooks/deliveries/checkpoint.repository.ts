import type {
  Database,
  DeliveryRow,
  Write,
  WriteAtomically,
} from '../../../storage/ports/index.ts';
import type { ReplayCheckpoint } from '../replays/replay-progress.ts';
import { toText } from './attempt-log.ts';
import type { SubscriptionKey } from './delivery.repository.ts';
import type { PendingDelivery } from './pending-delivery.ts';
import type { SuccessfulDelivery } from './successful-delivery.ts';

export interface Checkpoint {
  /** Every event up to this position is finished or has a stored delivery. */
  readonly position: number;
  readonly lastDeliveredAt: number | null;
  readonly lastFailure: LastFailure | null;
  /** New deliveries. Their texts must be in memory. */
  readonly added: readonly PendingDelivery[];
  readonly changed: readonly PendingDelivery[];
  readonly removed: readonly number[];
  /** Positions up to `position` of discarded deliveries. Their rows are no longer needed. */
  readonly discarded: readonly number[];
  readonly delivered: readonly SuccessfulDelivery[];
  /** `null`: no replay is running. */
  readonly replay: ReplayCheckpoint | null;
  /** Unix milliseconds. */
  readonly now: number;
}

export interface LastFailure {
  /** Unix milliseconds. */
  readonly at: number;
  readonly status: number | null;
  readonly message: string;
}

/**
 * Writes a checkpoint in one transaction. Deliveries that were resent in the meantime stay unchanged, and deliveries
 * that were rescheduled in the meantime keep their state and time. Writes nothing if the subscription was deleted.
 *
 * @param fence writes that fail if the lease term has ended.
 */
export type SaveCheckpoint = (
  subscription: SubscriptionKey,
  checkpoint: Checkpoint,
  fence: readonly Write[],
) => Promise<void>;

/** Databases limit the number of parameters per statement. */
const ROWS_PER_STATEMENT = 100;

export function createSaveCheckpoint(
  db: Database,
  writeAtomically: WriteAtomically,
): SaveCheckpoint {
  return async (key, checkpoint, fence) => {
    const writes = [
      ...fence,
      ...writesOfRows(db, key, checkpoint),
      writeOfPosition(db, key, checkpoint),
      ...writesOfReplay(db, key, checkpoint),
    ];
    try {
      await writeAtomically(writes);
    } catch (error) {
      // The foreign keys of the rows reject them after the deletion.
      if (await exists(db, key).catch(() => true)) throw error;
    }
  };
}

async function exists(
  db: Database,
  { spaceId, subscriptionId }: SubscriptionKey,
): Promise<boolean> {
  const row = await db
    .selectFrom('subscriptions')
    .where('space_id', '=', spaceId)
    .where('id', '=', subscriptionId)
    .select('id')
    .executeTakeFirst();
  return row !== undefined;
}

function* writesOfRows(
  db: Database,
  key: SubscriptionKey,
  { added, changed, removed, discarded, delivered }: Checkpoint,
): Generator<Write> {
  const { spaceId, subscriptionId } = key;
  const remove = (positions: readonly number[]) =>
    db
      .deleteFrom('deliveries')
      .where('space_id', '=', spaceId)
      .where('subscription_id', '=', subscriptionId)
      .where('position', 'in', positions);
  // A replay may add these deliveries again.
  for (const some of chunks(discarded)) yield remove(some).where('bytes', '=', 0);
  for (const item of changed)
    yield db
      .updateTable('deliveries')
      .set(({ eb }) => {
        const { state, next_attempt_at, ...outcome } = outcomeOf(item);
        const ifUnchanged = () => eb.case().when('next_attempt_at', 'in', item.storedTimes);
        return {
          ...outcome,
          state: ifUnchanged().then(state).else(eb.ref('state')).end(),
          next_attempt_at: ifUnchanged()
            .then(next_attempt_at)
            .else(eb.ref('next_attempt_at'))
            .end(),
          ...(item.log === null ? {} : { attempt_log: toText(item.log) }),
        };
      })
      .where('space_id', '=', spaceId)
      .where('subscription_id', '=', subscriptionId)
      .where('position', '=', item.position)
      .where('resent', '=', item.resent);
  for (const some of chunks(removed)) yield remove(some).where('bytes', '>', 0);
  // New rows lock the subscription, so they follow the rows that already exist. This order prevents deadlocks.
  for (const some of chunks(added))
    yield db
      .insertInto('deliveries')
      .values(some.map((item) => toRow(key, item)))
      // The rows may already exist, because a write whose result was lost is repeated.
      .onConflict((conflict) =>
        conflict
          .columns(['space_id', 'subscription_id', 'position'])
          .doUpdateSet((eb) => ({
            state: eb.ref('excluded.state'),
            attempts: eb.ref('excluded.attempts'),
            next_attempt_at: eb.ref('excluded.next_attempt_at'),
            last_attempt_at: eb.ref('excluded.last_attempt_at'),
            last_status: eb.ref('excluded.last_status'),
            last_failure: eb.ref('excluded.last_failure'),
            attempt_log: eb.ref('excluded.attempt_log'),
          }))
          .whereRef('deliveries.resent', '=', 'excluded.resent'),
      );
  for (const some of chunks(delivered))
    yield db
      .insertInto('successful_deliveries')
      .values(some.map((one) => ({ ...one, space_id: spaceId, subscription_id: subscriptionId })))
      // A write whose result was lost is repeated.
      .onConflict((conflict) => conflict.doNothing());
}

function writeOfPosition(
  db: Database,
  { spaceId, subscriptionId }: SubscriptionKey,
  { position, lastDeliveredAt, lastFailure }: Checkpoint,
): Write {
  return db
    .updateTable('subscriptions')
    .set({
      position,
      last_delivered_at: lastDeliveredAt,
      last_failed_at: lastFailure?.at ?? null,
      last_failed_status: lastFailure?.status ?? null,
      last_failure: lastFailure?.message ?? null,
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', subscriptionId);
}

/** Changes nothing if the replay was cancelled. */
function* writesOfReplay(
  db: Database,
  { spaceId, subscriptionId }: SubscriptionKey,
  { replay, now }: Checkpoint,
): Generator<Write> {
  if (replay === null) return;
  yield db
    .updateTable('subscriptions')
    .set({
      replay_position: replay.position,
      ...(replay.isFinished ? { replay_state: 'finished', replay_ended_at: Math.round(now) } : {}),
    })
    .where('space_id', '=', spaceId)
    .where('id', '=', subscriptionId)
    .where('replay_number', '=', replay.number)
    .where('replay_state', '=', 'running');
}

function toRow({ spaceId, subscriptionId }: SubscriptionKey, item: PendingDelivery): DeliveryRow {
  return {
    space_id: spaceId,
    subscription_id: subscriptionId,
    position: item.position,
    resent: item.resent,
    event_id: item.eventId,
    source: item.source,
    type: item.type,
    subject: item.subject,
    bytes: item.bytes,
    received_at: item.receivedAt,
    waiting_since: item.waitingSince,
    ...outcomeOf(item),
    attempt_log: toText(item.log ?? []),
    text: textOf(item),
  };
}

function outcomeOf(item: PendingDelivery) {
  return {
    state: item.state,
    attempts: item.attempts,
    next_attempt_at: Math.round(item.nextAttemptAt),
    last_attempt_at: item.lastAttemptAt,
    last_status: item.lastStatus,
    last_failure: item.lastFailure,
  };
}

function textOf({ text, position }: PendingDelivery): string {
  if (text === null) throw new Error(`the text of event ${position} is not in memory`);
  return text;
}

function* chunks<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += ROWS_PER_STATEMENT)
    yield all.slice(at, at + ROWS_PER_STATEMENT);
}
