import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { until } from '../../../../tests/support/until.ts';
import type { Clock } from '../../../lib/scheduling/clock.ts';
import { StorageUnavailable } from '../../../lib/threads/index.ts';
import { rateCountsSuite } from '../../ports/rate-counts.suite.ts';
import { semaphoresSuite } from '../../ports/semaphores.suite.ts';
import { newDatabase } from '../database.suite.ts';
import { openStore } from '../open-store.suite.ts';
import { openPool, type Pool } from '../pool.ts';
import { DatabaseClock } from './database-clock.ts';
import { openShared } from './index.ts';
import { sweep } from './sweep.ts';

const skip = postgresIsMissing ?? false;

function fail(error: unknown): never {
  throw error;
}

function optionsOf(pool: Pool) {
  const databaseClock = new DatabaseClock();
  return { pool, replica: { id: randomUUIDv7() }, clock: Date.now, databaseClock };
}

async function openTwo(clock: Clock = Date.now) {
  await using opened = new AsyncDisposableStack();
  const url = await newDatabase();
  await (await openStore(url))[Symbol.asyncDispose]();
  const open = async () => {
    const pool: Pool = opened.use(openPool({ url, connections: 4, onError: fail }));
    return {
      pool,
      shared: opened.use(await openShared({ ...optionsOf(pool), clock, onError: fail })),
    };
  };
  const [one, other] = [await open(), await open()];
  const all = opened.move();
  return { one, other, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

rateCountsSuite('on PostgreSQL', skip, async (clock) => {
  const { one, other, ...two } = await openTwo(clock);
  return { one: one.shared.rates, other: other.shared.rates, ...two };
});

semaphoresSuite('on PostgreSQL', skip, async () => {
  const { one, other, ...two } = await openTwo();
  return { one: one.shared.semaphores, other: other.shared.semaphores, ...two };
});

test('a semaphore whose acquisition the server commits after the timeout becomes free', {
  skip,
}, async () => {
  await using opened = new AsyncDisposableStack();
  const url = await newDatabase();
  await (await openStore(url))[Symbol.asyncDispose]();
  const options = { url, connections: 2, onError: () => {} };
  const impatient = opened.use(openPool({ ...options, answerWithinMs: 300 }));
  const { semaphores } = opened.use(
    await openShared({ ...optionsOf(impatient), onError: () => {} }),
  );
  const pool = opened.use(openPool(options));
  const semaphore = { key: 'slow', permits: 1 };
  const rowsOf = async (sql: string) => (await pool.run(sql)).rows;
  const isEnded = async () => {
    const others = `select from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`;
    return (await rowsOf(others)).length === 0;
  };
  do {
    await pool.hold(async (session) => {
      await session.run('begin');
      await session.run(`lock table semaphores in exclusive mode`);
      await assert.rejects(semaphores.acquire([semaphore]), StorageUnavailable);
      await session.run('commit');
    });
    await until('the late acquisition has ended', isEnded);
    // After the timeout, the pool cancels the statement. If the cancellation arrived before the commit above, nothing was acquired.
  } while ((await rowsOf('select holders from semaphores')).length === 0);
  await until(
    'the semaphore is free',
    async () => (await semaphores.acquire([semaphore])).acquired,
  );
});

test('after the clock of the database is set back by an hour, a token bucket keeps its amount', {
  skip,
}, async () => {
  await using two = await openTwo();
  const { buckets } = two.one.shared;
  assert.ok(buckets !== null);
  const taken = { limit: 'events', key: 'a', ms: 10_000 };
  await buckets.take([taken]);
  await two.one.pool.run(
    'update rate_counts set ends_at = ends_at + 3600000, times[1] = times[1] + 3600000',
  );
  const [fullIn = 0] = await buckets.take([taken]);
  assert.ok(fullIn > 15_000 && fullIn <= 20_001, String(fullIn));
  const [later = 0] = await buckets.take([taken]);
  assert.ok(later > 20_000 && later <= 30_001, String(later));
});

test('a sweep removes exactly the expired rows', { skip }, async () => {
  await using two = await openTwo();
  const { pool, shared } = two.one;
  const semaphore = { key: 'held', permits: 1 };
  assert.ok((await shared.semaphores.acquire([semaphore])).acquired);
  const rate = { limit: 'tries', key: 'now', max: 1 };
  for (let n = 0; n < 2; n += 1) await shared.rates.countInWindow(rate, 60_000);
  const minute = Math.floor(Date.now() / 60_000);
  await shared.eventCounts?.put([{ spaceId: 'a', minute, counter: 'c', counts: '{}' }]);
  await shared.eventCounts?.putListeners(new Map([['a', 1]]));
  for (const statement of [
    `insert into rate_counts select 'tries', 'old' || n, 1, 1, '{}' from generate_series(1, 2500) as n`,
    `insert into semaphores select 'old' || n, array['gone/1'] from generate_series(1, 2500) as n`,
    `insert into semaphores values ('left', '{}')`,
    `insert into event_counts select 'a', ${minute} - 61, 'old' || n, '{}' from generate_series(1, 2500) as n`,
    `insert into event_listeners values ('a', 'gone', 1)`,
    `insert into replicas values ('gone', 1)`,
  ])
    await pool.run(statement);
  const { signal } = new AbortController();
  await Promise.all([sweep(pool, signal), sweep(two.other.pool, signal)]);
  await sweep(pool, signal);
  for (const [table, left] of Object.entries({
    rate_counts: 1,
    semaphores: 1,
    event_counts: 1,
    event_listeners: 1,
    replicas: 2,
  })) {
    const { rows } = await pool.run(`select count(*) as left from ${table}`);
    assert.deepEqual(rows, [{ left }], table);
  }
  const { count } = await two.other.shared.rates.countInWindow(rate, 60_000);
  assert.ok(count > 1);
  assert.equal((await two.other.shared.semaphores.acquire([semaphore])).acquired, false);
});

test('a sweep examines each row of the limits once, and finds expired statistics by an index', {
  skip,
}, async () => {
  const url = await newDatabase();
  await (await openStore(url))[Symbol.asyncDispose]();
  await using pool = openPool({ url, connections: 1, onError: fail });
  const hourAhead = Date.now() + 3_600_000;
  const minute = Math.floor(Date.now() / 60_000);
  for (const statement of [
    `insert into rate_counts select 'tries', 'key' || n, ${hourAhead}, 1, '{}' from generate_series(1, 30000) as n`,
    `insert into event_counts select 'space' || n % 1000, ${minute} - n / 1000, 'c', '{}' from generate_series(1, 30000) as n`,
  ])
    await pool.run(statement);
  for (const statistics of ['select', 'analyze']) {
    await pool.run(statistics);
    const plans: string[] = [];
    const explaining: Pool = {
      ...pool,
      run: async (statement, values) => {
        const { rows } = await pool.run(`explain ${statement}`, values);
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return pool.run(statement, values);
      },
    };
    await sweep(explaining, new AbortController().signal);
    assert.ok(plans.length > 30);
    for (const plan of plans) {
      const [found = ''] = plan.split('Hash Join');
      assert.doesNotMatch(found, /Seq Scan on event_counts/);
      assert.doesNotMatch(plan, /Seq Scan on rate_counts/);
    }
  }
});
