import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { until } from '../../../../../tests/support/until.ts';
import type { DocumentChange } from '../../../in-memory/index.ts';
import { newDatabase } from '../../database.suite.ts';
import { openPool, type Pool } from '../../pool.ts';
import { ChangeLog, TRIM_CHANGES } from './change-log.ts';

const INSERT = 'insert into document_changes (space_id, number, reindexed) values ($1, $2, $3)';
const INSERT_MANY = `insert into document_changes (space_id, number, reindexed)
  select 'elsewhere', number, true from generate_series(1, $1::int) as number`;
const MAX_CHANGES = 100_000;

describe('the log of document changes on PostgreSQL', { skip: postgresIsMissing }, () => {
  let pool: Pool;
  before(async () => {
    pool = openPool({ url: await newDatabase(), connections: 5, onError: () => {} });
  });
  after(() => pool?.[Symbol.asyncDispose]());

  /** Reads the log in its own transaction. */
  function next(log: ChangeLog, target = pool): Promise<readonly DocumentChange[] | null> {
    return target.hold(async (session) => {
      await session.run('begin isolation level repeatable read read only');
      const changes = await log.next(session);
      await session.run('commit');
      return changes;
    });
  }

  async function numbers(log: ChangeLog): Promise<number[]> {
    const changes = (await next(log)) ?? assert.fail('changes are missing');
    return changes.map(({ number }) => number).toSorted((one, other) => one - other);
  }

  const add = (number: number) => pool.run(INSERT, ['space', number, 0]);

  /** Logs a change in a transaction that commits when the returned function is called. */
  async function addLater(number: number): Promise<() => Promise<void>> {
    const commit = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    const committed = pool.hold(async (session) => {
      await session.run('begin');
      await session.run(INSERT, ['space', number, 0]);
      written.resolve();
      await commit.promise;
      await session.run('commit');
    });
    await written.promise;
    return () => {
      commit.resolve();
      return committed;
    };
  }

  test('returns each change once, although transactions do not commit in the order in which they write', async () => {
    const log = new ChangeLog();
    await add(1);
    assert.deepEqual(await numbers(log), []);
    const commitSecond = await addLater(2);
    const commitThird = await addLater(3);
    await add(4);
    assert.deepEqual(await numbers(log), [4]);
    await commitThird();
    assert.deepEqual(await numbers(log), [3]);
    await add(5);
    assert.deepEqual(await numbers(log), [5]);
    await commitSecond();
    assert.deepEqual(await numbers(log), [2]);
    assert.deepEqual(await numbers(log), []);
  });

  test('returns all fields of a change', async () => {
    const log = new ChangeLog();
    await next(log);
    await pool.run(INSERT, ['first', 2 ** 46, 1]);
    assert.deepEqual(await next(log), [{ spaceId: 'first', number: 2 ** 46, reindexed: true }]);
  });

  test('a reader that missed trimmed changes starts again and then continues', async () => {
    const behind = new ChangeLog();
    await next(behind);
    const commit = await addLater(6);
    await pool.run(INSERT_MANY, [MAX_CHANGES + 10]);
    await pool.run(TRIM_CHANGES);
    const { rows } = await pool.run('select count(*) as count from document_changes');
    assert.ok(Number(rows[0]?.['count']) <= MAX_CHANGES);
    assert.equal(await next(behind), null);
    await commit();
    assert.deepEqual(await numbers(behind), [6]);
    assert.deepEqual(await numbers(behind), []);
  });

  /** Other tests use other databases of the same server. Their open transactions would make the reader start again. */
  function untilOlderTransactionsEnded(): Promise<void> {
    return until('all transactions up to the newest change have ended', async () => {
      const { rows } = await pool.run(`
        select xact < pg_snapshot_xmin(pg_current_snapshot()) as ended from document_changes
        order by xact desc limit 1`);
      return rows[0]?.['ended'] === true;
    });
  }

  test('a reader that read all trimmed changes continues', async () => {
    const log = new ChangeLog();
    await pool.run(INSERT_MANY, [MAX_CHANGES]);
    await untilOlderTransactionsEnded();
    await next(log);
    await add(7);
    await pool.run(TRIM_CHANGES);
    assert.deepEqual(await numbers(log), [7]);
  });

  test('a transaction that stays open does not make readers start again between removals', async () => {
    const log = new ChangeLog();
    const commit = await addLater(10);
    await pool.run(INSERT_MANY, [MAX_CHANGES + 10]);
    await pool.run(TRIM_CHANGES);
    await next(log);
    await add(11);
    assert.deepEqual(await numbers(log), [11]);
    await commit();
    assert.deepEqual(await numbers(log), [10]);
  });

  test('ignores and removes changes that were restored from a server with higher transaction numbers', async () => {
    const log = new ChangeLog();
    await untilOlderTransactionsEnded();
    await next(log);
    await pool.run(`insert into document_changes (space_id, xact, number, reindexed)
      values ('space', '9000000000000', 8, true)`);
    await add(9);
    assert.deepEqual(await numbers(log), [9]);
    await pool.run(TRIM_CHANGES);
    const { rows } = await pool.run('select number from document_changes where number in (8, 9)');
    assert.deepEqual(rows, [{ number: 9 }]);
    assert.deepEqual(await numbers(log), []);
  });

  test('a reader starts again in another database', async () => {
    const log = new ChangeLog();
    await next(log);
    await using other = openPool({ url: await newDatabase(), connections: 1, onError: () => {} });
    assert.equal(await next(log, other), null);
    assert.deepEqual(await next(log, other), []);
  });
});
