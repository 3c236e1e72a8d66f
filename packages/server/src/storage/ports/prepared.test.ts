import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openNewStore } from '../open-store.suite.ts';
import { prepare } from './prepared.ts';

test('a prepared query combines the values of each call with its constants', async () => {
  await using store = await openNewStore();
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
});
