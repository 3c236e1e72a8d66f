import { recordAction } from '../../../platform/audit/index.ts';
import {
  type Database,
  type DeliveryRow,
  inTransaction,
  prepare,
} from '../../../storage/ports/index.ts';
import type { LoggedDelivery, StoredDelivery } from './pending-delivery.ts';

export interface SubscriptionKey {
  readonly spaceId: string;
  readonly subscriptionId: string;
}

export interface DeliveryRepository {
  waiting(subscription: SubscriptionKey): Promise<StoredDelivery[]>;
  /** Returns the positions of the waiting, parked and discarded deliveries after `position`. */
  positionsAfter(subscription: SubscriptionKey, position: number): Promise<number[]>;
  /** Returns the positions of the discarded deliveries that still have a row. */
  discarded(subscription: SubscriptionKey): Promise<number[]>;
  totals(subscription: SubscriptionKey): Promise<Totals>;
  totalsOf(spaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Totals>>;
  list(
    subscription: SubscriptionKey,
    state: DeliveryRow['state'] | null,
    after: number | null,
    limit: number,
  ): Promise<LoggedDelivery[]>;
  /** Returns the states of the waiting and parked deliveries among `positions`. */
  states(
    subscription: SubscriptionKey,
    positions: readonly number[],
  ): Promise<Pick<DeliveryRow, 'position' | 'state'>[]>;
  find(subscription: SubscriptionKey, position: number): Promise<LoggedDelivery | undefined>;
  /** Returns the event text and the attempt log of a delivery. */
  texts(
    subscription: SubscriptionKey,
    position: number,
  ): Promise<Pick<DeliveryRow, 'text' | 'attempt_log'> | undefined>;
  /**
   * Moves parked deliveries back to the state `waiting` and increments `deliveries_revision`.
   *
   * @param positions the deliveries to move, or `null` for all parked deliveries.
   */
  unpark(
    subscription: SubscriptionKey,
    positions: readonly number[] | null,
    now: number,
  ): Promise<StoredDelivery[]>;
  /**
   * Makes a waiting delivery due now and increments `deliveries_revision`. Returns `undefined` if the delivery is not
   * waiting.
   */
  retryNow(
    subscription: SubscriptionKey,
    position: number,
    now: number,
  ): Promise<StoredDelivery | undefined>;
  /**
   * Discards a delivery and increments `deliveries_revision`. Returns `false` if the delivery does not exist. While the
   * position of the subscription is before the event, a row without text remains, so that the event is not sent when the
   * log is read again.
   */
  remove(subscription: SubscriptionKey, position: number): Promise<boolean>;
}

export interface Totals {
  readonly waiting: number;
  readonly parked: number;
  readonly bytes: number;
}

export const NO_DELIVERIES: Totals = { waiting: 0, parked: 0, bytes: 0 };
/** Values in the row of a discarded delivery. `bytes` identifies the row, and checkpoints change no row with this `resent`. */
const DISCARDED = {
  state: 'parked',
  resent: -1,
  bytes: 0,
  event_id: '',
  source: '',
  type: '',
  subject: null,
  text: '',
  attempt_log: '[]',
  last_failure: null,
} as const;
const COLUMNS = [
  'position',
  'state',
  'resent',
  'event_id',
  'source',
  'type',
  'subject',
  'bytes',
  'received_at',
  'waiting_since',
  'next_attempt_at',
  'attempts',
  'last_attempt_at',
  'last_status',
  'last_failure',
] as const;

export function createDeliveryRepository(db: Database): DeliveryRepository {
  const findTexts = prepare(
    db,
    (key: { spaceId: string; subscriptionId: string; position: number }) =>
      pending(db, key).where('position', '=', key.position).select(['text', 'attempt_log']),
  );
  return {
    waiting: (key) =>
      pending(db, key).where('state', '=', 'waiting').orderBy('position').select(COLUMNS).execute(),
    positionsAfter: async (key, position) => {
      const rows = await of(db, key).where('position', '>', position).select('position').execute();
      return rows.map((row) => row.position);
    },
    discarded: async (key) => {
      const rows = await of(db, key)
        .where('state', '=', DISCARDED.state)
        .where('bytes', '=', DISCARDED.bytes)
        .select('position')
        .execute();
      return rows.map((row) => row.position);
    },
    totals: async (key) =>
      (await totalsOf(db, key.spaceId, [key.subscriptionId])).get(key.subscriptionId) ??
      NO_DELIVERIES,
    totalsOf: (spaceId, ids) => totalsOf(db, spaceId, ids),
    list: (key, state, after, limit) =>
      pending(db, key)
        .where('position', '>', after ?? 0)
        .$if(state !== null, (query) => query.where('state', '=', state ?? 'waiting'))
        .orderBy('position')
        .limit(limit)
        .select([...COLUMNS, 'attempt_log'])
        .execute(),
    states: async (key, positions) =>
      positions.length === 0
        ? []
        : pending(db, key)
            .where('position', 'in', positions)
            .select(['position', 'state'])
            .execute(),
    find: (key, position) =>
      pending(db, key)
        .where('position', '=', position)
        .select([...COLUMNS, 'attempt_log'])
        .executeTakeFirst(),
    texts: async (key, position) => (await findTexts({ ...key, position }))[0],
    unpark: (key, positions, now) =>
      inTransaction(db, async (trx) => {
        const unparked = await trx
          .updateTable('deliveries')
          .set(({ eb }) => ({
            state: 'waiting',
            resent: eb('resent', '+', 1),
            attempts: 0,
            waiting_since: now,
            next_attempt_at: now,
          }))
          .where('space_id', '=', key.spaceId)
          .where('subscription_id', '=', key.subscriptionId)
          .where('state', '=', 'parked')
          .where('bytes', '>', DISCARDED.bytes)
          .$if(positions !== null, (query) => query.where('position', 'in', positions ?? []))
          .returning(COLUMNS)
          .execute();
        if (unparked.length === 0) return unparked;
        await incrementRevision(trx, key);
        await recordResending(trx, key, unparked);
        return unparked;
      }),
    retryNow: (key, position, now) =>
      inTransaction(db, async (trx) => {
        const delivery = await trx
          .updateTable('deliveries')
          .set({ next_attempt_at: now })
          .where('space_id', '=', key.spaceId)
          .where('subscription_id', '=', key.subscriptionId)
          .where('position', '=', position)
          .where('state', '=', 'waiting')
          .returning(COLUMNS)
          .executeTakeFirst();
        if (delivery === undefined) return undefined;
        await incrementRevision(trx, key);
        await recordResending(trx, key, [delivery]);
        return delivery;
      }),
    remove: (key, position) =>
      inTransaction(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('deliveries')
          .set(DISCARDED)
          .where('space_id', '=', key.spaceId)
          .where('subscription_id', '=', key.subscriptionId)
          .where('position', '=', position)
          .where('bytes', '>', DISCARDED.bytes)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await trx
          .deleteFrom('deliveries')
          .where('space_id', '=', key.spaceId)
          .where('subscription_id', '=', key.subscriptionId)
          .where('position', '=', position)
          .where('position', '<=', ({ selectFrom }) =>
            selectFrom('subscriptions')
              .where('space_id', '=', key.spaceId)
              .where('id', '=', key.subscriptionId)
              .select('position'),
          )
          .execute();
        await incrementRevision(trx, key);
        await recordAction(trx, {
          action: 'delivery.deleted',
          spaceId: key.spaceId,
          resourceId: key.subscriptionId,
          details: { position },
        });
        return true;
      }),
  };
}

/** Must be called after writing deliveries. All transactions use the same order, which prevents deadlocks. */
async function incrementRevision(
  trx: Database,
  { spaceId, subscriptionId }: SubscriptionKey,
): Promise<void> {
  await trx
    .updateTable('subscriptions')
    .set(({ eb }) => ({ deliveries_revision: eb('deliveries_revision', '+', 1) }))
    .where('space_id', '=', spaceId)
    .where('id', '=', subscriptionId)
    .execute();
}

function recordResending(
  trx: Database,
  { spaceId, subscriptionId }: SubscriptionKey,
  resent: readonly StoredDelivery[],
): Promise<void> {
  const [first] = resent;
  return recordAction(trx, {
    action: 'deliveries.resent',
    spaceId,
    resourceId: subscriptionId,
    details: resent.length === 1 ? { position: first?.position } : { count: resent.length },
  });
}

/** Selects the waiting and parked deliveries of a subscription. */
function pending(db: Database, key: SubscriptionKey) {
  return of(db, key).where('bytes', '>', DISCARDED.bytes);
}

function of(db: Database, { spaceId, subscriptionId }: SubscriptionKey) {
  return db
    .selectFrom('deliveries')
    .where('space_id', '=', spaceId)
    .where('subscription_id', '=', subscriptionId);
}

async function totalsOf(
  db: Database,
  spaceId: string,
  ids: readonly string[],
): Promise<Map<string, Totals>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('deliveries')
    .where('space_id', '=', spaceId)
    .where('subscription_id', 'in', ids)
    .where('bytes', '>', DISCARDED.bytes)
    .groupBy(['subscription_id', 'state'])
    .select(({ fn }) => [
      'subscription_id',
      'state',
      fn.countAll<number>().as('count'),
      fn.sum<number>('bytes').as('bytes'),
    ])
    .execute();
  const totals = new Map<string, Totals>();
  for (const { subscription_id: id, state, count, bytes } of rows) {
    const before = totals.get(id) ?? NO_DELIVERIES;
    totals.set(id, {
      ...before,
      [state]: Number(count),
      bytes: before.bytes + Number(bytes),
    });
  }
  return totals;
}
