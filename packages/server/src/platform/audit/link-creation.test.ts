import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { Database } from '../../storage/ports/index.ts';
import {
  actingFrom,
  forgetSomeCreations,
  keepCreations,
  linkCreation,
  NO_CREATION,
  OPERATOR,
  selectCreations,
} from './index.ts';

const SPACE = 'space';
const idOf = (number: number) => `0199f3a2-0000-7000-8000-${String(number).padStart(12, '0')}`;

async function addLinks(db: Database, from: number, to: number): Promise<void> {
  const creation = actingFrom(OPERATOR, () => linkCreation({ hasPermissionFilter: true }));
  const rows = Array.from({ length: to - from }, (_, index) => ({
    id: idOf(from + index),
    space_id: SPACE,
    token_hash: `hash ${from + index}`,
    token_prefix: 'prefix',
    payload: '{}',
    exp: 1,
    created_at: 1,
    ...creation,
  }));
  for (let at = 0; at < rows.length; at += 500)
    await db
      .insertInto('links')
      .values(rows.slice(at, at + 500))
      .execute();
}

test('old creations are forgotten in steps, and their links and newer creations remain', async () => {
  await using store = await openNewStore();
  const { db } = store;
  await addSpace(store, SPACE);
  await addLinks(db, 0, 1500);
  const forgetAll = async (before: string) => {
    let steps = 0;
    while (await forgetSomeCreations(db, before)) steps += 1;
    return steps;
  };
  const recorded = async () =>
    (await selectCreations(db).orderBy('id').execute()).map((row) => row.id);
  assert.equal(await forgetAll(idOf(1400)), 2);
  assert.equal(await forgetAll(idOf(1400)), 0);
  assert.deepEqual(
    await recorded(),
    Array.from({ length: 100 }, (_, index) => idOf(1400 + index)),
  );
  assert.equal((await db.selectFrom('links').select('id').execute()).length, 1500);
  assert.equal(await forgetAll(idOf(1450)), 1);
  assert.equal((await recorded()).length, 50);
});

test('a creation is queued as an event once, even if it is copied to the audit', async () => {
  await using store = await openNewStore();
  const { db } = store;
  await addSpace(store, SPACE);
  const queued = async () => (await db.selectFrom('audit_outbox').select('id').execute()).length;
  await addLinks(db, 0, 1);
  assert.equal(await queued(), 0);
  await store.queueAudit(true);
  await addLinks(db, 1, 3);
  assert.equal(await queued(), 2);
  const before = await selectCreations(db).orderBy('id').execute();
  await keepCreations(db, sql`space_id = ${SPACE}`);
  await db.updateTable('links').set(NO_CREATION).execute();
  assert.equal(await queued(), 2);
  assert.deepEqual(await selectCreations(db).execute(), []);
  const kept = await db.selectFrom('audit_entries').selectAll().orderBy('id').execute();
  assert.deepEqual(kept, before);
  await store.queueAudit(false);
  await addLinks(db, 3, 4);
  assert.equal(await queued(), 2);
});
