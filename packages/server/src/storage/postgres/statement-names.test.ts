import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { NO_PGBOUNCER, startPgBouncer } from '../../../tests/support/storage/pgbouncer.ts';
import { retryConflicts } from '../ports/transactions.ts';
import { newDatabase } from './database.suite.ts';
import { openPool, type Pool } from './pool.ts';
import { retryRead } from './retry.ts';

const INSERT = 'insert into numbers (number) values ($1)';
const OFTEN = { often: true };

const openNumbers = (url: string): Pool => openPool({ url, connections: 8, onError: () => {} });

async function makeNumbers(): Promise<string> {
  const url = await newDatabase();
  await using pool = openNumbers(url);
  await pool.run('create table numbers (number integer not null)');
  return url;
}

interface TwoPools extends AsyncDisposable {
  readonly one: Pool;
  readonly other: Pool;
}

/** Opens two pools through a pooler. Each acts as a separate process, which detects the pooler independently. */
async function openThroughPooler(): Promise<TwoPools> {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await startPgBouncer(await makeNumbers()));
  const one = opened.use(openNumbers(url));
  const other = opened.use(openNumbers(url));
  const all = opened.move();
  return { one, other, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function assertEachOnce(pool: Pool, count: number): Promise<void> {
  const { rows } = await pool.run(
    'select count(*) as "all", count(distinct number) as "different" from numbers',
  );
  assert.deepEqual(rows, [{ all: count, different: count }]);
}

test('prepares only statements that are marked as frequent', {
  skip: postgresIsMissing,
}, async () => {
  await using pool = openNumbers(await makeNumbers());
  const texts = await pool.hold(async (session) => {
    await session.run('select $1::integer as once', [1]);
    for (let number = 0; number < 3; number += 1) await session.run(INSERT, [number], OFTEN);
    const { rows } = await session.run('select statement from pg_prepared_statements');
    return rows.map(({ statement }) => statement);
  });
  assert.deepEqual(texts, [INSERT]);
  await assertEachOnce(pool, 3);
});

test('runs every statement exactly once behind a pooler that does not support prepared statements', {
  skip: postgresIsMissing ?? NO_PGBOUNCER,
}, async () => {
  await using pools = await openThroughPooler();
  const { one, other } = pools;
  await Promise.all(
    Array.from({ length: 400 }, async (_, number) => {
      const pool = number % 2 === 0 ? one : other;
      if (number % 4 < 2) await pool.run(INSERT, [number], OFTEN);
      else
        await retryConflicts(() =>
          pool.hold(async (session) => {
            await session.run('begin');
            await session.run('select count(*) from numbers where number = $1', [number], OFTEN);
            await session.run(INSERT, [number], OFTEN);
            await session.run('commit');
          }),
        );
    }),
  );
  await assertEachOnce(one, 400);
});

test('reads in transactions succeed behind a pooler that does not support prepared statements', {
  skip: postgresIsMissing ?? NO_PGBOUNCER,
}, async () => {
  await using pools = await openThroughPooler();
  const { one, other } = pools;
  const counts = await Promise.all(
    Array.from({ length: 400 }, (_, number) =>
      retryRead(() =>
        (number % 2 === 0 ? one : other).hold(async (session) => {
          await session.run('begin');
          const { rows } = await session.run('select count(*) as all from numbers', [], OFTEN);
          await session.run('commit');
          return rows[0]?.['all'];
        }),
      ),
    ),
  );
  assert.deepEqual(new Set(counts), new Set([0]));
});

test('a schema change does not fail a prepared statement', {
  skip: postgresIsMissing,
}, async () => {
  await using pool = openNumbers(await makeNumbers());
  await pool.run(INSERT, [7], OFTEN);
  const read = () => pool.read('select * from numbers', [], OFTEN);
  assert.deepEqual((await read()).rows, [{ number: 7 }]);
  await pool.run("alter table numbers add column word text not null default 'new'");
  assert.deepEqual((await read()).rows, [{ number: 7, word: 'new' }]);
});
