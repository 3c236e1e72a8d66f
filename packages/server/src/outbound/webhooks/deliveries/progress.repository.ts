import type { Database, DeliveryRow, Write, WriteTogether } from '../../../storage/ports/index.ts';
import type { SubscriptionKey } from './delivery.repository.ts';
import type { PendingDelivery } from './pending.ts';

/** How far a subscription has got, and what it has to keep. */
export interface Progress {
  readonly position: number;
  readonly lastDeliveredAt: number | null;
  readonly lastFailure: LastFailure | null;
  /** With their texts. */
  readonly added: readonly PendingDelivery[];
  readonly changed: readonly PendingDelivery[];
  /** Positions. */
  readonly removed: readonly number[];
}

export interface LastFailure {
  /** Unix milliseconds. */
  readonly at: number;
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly message: string;
}

/**
 * Writes all of it together. A delivery that somebody sent again meanwhile is left as it is. Rejects when the
 * subscription is gone and something is added.
 *
 * @param fence of the term in which it is done; see `Term`.
 */
export type SaveProgress = (
  subscription: SubscriptionKey,
  progress: Progress,
  fence: readonly Write[],
) => Promise<void>;

/** In one statement, whose parameters are limited. */
const ROWS_AT_ONCE = 100;

export function createSaveProgress(db: Database, writeTogether: WriteTogether): SaveProgress {
  return (key, progress, fence) =>
    writeTogether([
      ...fence,
      ...writesOfRows(db, key, progress),
      writeOfPosition(db, key, progress),
    ]);
}

function* writesOfRows(
  db: Database,
  key: SubscriptionKey,
  { added, changed, removed }: Progress,
): Generator<Write> {
  const { spaceId, subscriptionId } = key;
  for (const some of chunks(added))
    yield db
      .insertInto('deliveries')
      .values(some.map((item) => toRow(key, item)))
      // A write of which it was never heard whether it was kept comes again.
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
          }))
          .whereRef('deliveries.resent', '=', 'excluded.resent'),
      );
  for (const item of changed)
    yield db
      .updateTable('deliveries')
      .set(outcomeOf(item))
      .where('space_id', '=', spaceId)
      .where('subscription_id', '=', subscriptionId)
      .where('position', '=', item.position)
      .where('resent', '=', item.resent);
  for (const some of chunks(removed))
    yield db
      .deleteFrom('deliveries')
      .where('space_id', '=', spaceId)
      .where('subscription_id', '=', subscriptionId)
      .where('position', 'in', some);
}

function writeOfPosition(
  db: Database,
  { spaceId, subscriptionId }: SubscriptionKey,
  { position, lastDeliveredAt, lastFailure }: Progress,
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
  for (let at = 0; at < all.length; at += ROWS_AT_ONCE) yield all.slice(at, at + ROWS_AT_ONCE);
}
