import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { type RawBuilder, sql } from 'kysely';
import { until } from '../../../../tests/support/until.ts';
import { newDatabase } from '../../../storage/postgres/database.suite.ts';
import { openStore } from '../../../storage/postgres/open-store.suite.ts';
import { ACCESS, createTarget, openDispatch } from '../dispatch/dispatch.suite.ts';
import { newDelivery } from './pending-delivery.ts';

const EMPTY = { added: [], changed: [], removed: [], discarded: [], delivered: [] } as const;
const STATUS = { position: 0, lastDeliveredAt: null, lastFailure: null, replay: null } as const;
/** With this option, a statement in a deadlock times out before the server detects the deadlock. */
const OPTIONS = encodeURIComponent('-c deadlock_timeout=1h');

function delivery(position: number) {
  const text = JSON.stringify({ id: `${position}`, source: 'urn:a', type: 't' });
  return newDelivery({ position, receivedAt: 1, text });
}

type Dispatch = Awaited<ReturnType<typeof openDispatch>>;
type Key = Awaited<ReturnType<Dispatch['subscribe']>>;
type Change = (dispatch: Dispatch, key: Key) => Promise<unknown>;

const remove: Change = ({ subscriptions }, { subscriptionId }) =>
  subscriptions.remove(ACCESS, subscriptionId);
const enable: Change = ({ subscriptions }, { subscriptionId }) =>
  subscriptions.change(ACCESS, subscriptionId, { state: 'active' }, 2);
const retry: Change = ({ deliveries }, key) => deliveries.retryNow(key, 1, 2);
const discard: Change = ({ deliveries }, key) => deliveries.remove(key, 1);
const save: Change = ({ deps }, key) => {
  const rows = { ...EMPTY, added: [delivery(2)], changed: [{ ...delivery(1), storedTimes: [0] }] };
  return deps.save(key, { ...STATUS, ...rows, now: 2 }, []);
};

const subscription = sql`update subscriptions set created_at = 2`;
const deliveries = sql`update deliveries set attempts = 2`;

const CASES: readonly [name: string, held: RawBuilder<unknown>, Change, Change][] = [
  ['the deletion of a subscription and a retry', subscription, remove, retry],
  ['the deletion of a subscription and a discard', subscription, remove, discard],
  ['the deletion of a subscription and a checkpoint', deliveries, remove, save],
  ['a change of a subscription and a retry', subscription, enable, retry],
];

for (const [name, held, first, second] of CASES)
  test(`${name} never wait for each other`, { skip: postgresIsMissing }, async () => {
    const url = `${await newDatabase()}&options=${OPTIONS}`;
    const location = { open: () => openStore(url), [Symbol.dispose]: () => {} };
    await using dispatch = await openDispatch({ sender: createTarget().sender }, location);
    const { db } = dispatch.store;
    const key = await dispatch.subscribe();
    const stored = { ...EMPTY, added: [delivery(1)] };
    await dispatch.deps.save(key, { ...STATUS, ...stored, now: 1 }, []);
    const waiting = (count: number) => async () => {
      const found = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
      return found.rows.length === count;
    };
    const [mayEnd, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = db.transaction().execute(async (trx) => {
      await held.execute(trx);
      isHeld.resolve();
      await mayEnd.promise;
      throw new Error('rolled back');
    });
    await isHeld.promise;
    const changes = [first(dispatch, key)];
    await until('the first change waits', waiting(1));
    changes.push(second(dispatch, key));
    await until('both changes wait', waiting(2));
    mayEnd.resolve();
    await assert.rejects(holding, /rolled back/);
    await Promise.all(changes);
  });
