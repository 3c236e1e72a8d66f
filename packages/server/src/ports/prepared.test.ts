import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqlite } from '../adapters/sqlite/index.ts';
import { prepare } from './prepared.ts';

test('a prepared query takes its values anew at each call, beside the fixed ones', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-prepared-'));
  const fail = (error: unknown): never => {
    throw error;
  };
  await using store = await openSqlite({
    directory,
    queueBytes: 1024 * 1024,
    onDeath: fail,
    onError: fail,
  });
  const { db } = store;
  const rows = ['a', 'b', 'c'].map((id, created_at) => ({ id, name: `space ${id}`, created_at }));
  await db.insertInto('spaces').values(rows).execute();
  const find = prepare(db, (value: { before: number; count: number }) =>
    db
      .selectFrom('spaces')
      .select('id')
      .where('created_at', '<', value.before)
      .where('name', '!=', 'space b')
      .orderBy('id')
      .limit(value.count),
  );
  const ids = async (before: number, count: number) =>
    (await find({ count, before })).map((row) => row.id);
  assert.deepEqual(await ids(3, 9), ['a', 'c']);
  assert.deepEqual(await ids(2, 9), ['a']);
  assert.deepEqual(await ids(3, 1), ['a']);
  rmSync(directory, { recursive: true });
});
