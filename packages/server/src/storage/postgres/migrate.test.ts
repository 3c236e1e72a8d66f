import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { Kysely } from 'kysely';
import { migrate, statements } from '../migrations/migrate.ts';
import { newEmptyDatabase } from './database.suite.ts';
import { createDialect } from './dialect.ts';
import { openPool } from './pool.ts';

const BOTH = statements([
  'alter table orders add column note text',
  'alter table items add column note text',
]);

test('a migration runs again if a deadlock with a request aborts it', {
  skip: postgresIsMissing,
}, async () => {
  const url = await newEmptyDatabase();
  const options = { url, answerWithinMs: null, onError: () => {} };
  await using pool = openPool({ ...options, connections: 3 });
  await pool.run('create table orders (id integer)');
  await pool.run('create table items (id integer)');
  const isMigrationWaiting = async () =>
    (await pool.run('select 1 from pg_locks where not granted')).rows.length > 0;
  let migrated: Promise<void> | undefined;
  await pool.hold(async (request) => {
    await request.run('begin');
    // The server aborts the migration, because the request does not look for deadlocks in this time.
    await request.run("set local deadlock_timeout = '1h'");
    await request.run('insert into items values (1)');
    migrated = migrate(new Kysely({ dialect: createDialect(pool) }), { '0001-both': BOTH });
    migrated.catch(() => {});
    while (!(await isMigrationWaiting())) await sleep(10);
    await request.run('insert into orders values (1)');
    await request.run('commit');
  });
  await migrated;
  const { rows } = await pool.run(
    'select orders.note as order, items.note as item from orders, items',
  );
  assert.deepEqual(rows, [{ order: null, item: null }]);
});
