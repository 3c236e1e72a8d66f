import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import { actingFrom, NOBODY, OPERATOR, recordAction } from '../../platform/audit/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { largeReads, recordQueries } from '../../storage/query-plans.suite.ts';
import { createAuditRepository } from './audit.repository.ts';

/** The time in the IDs of the entries, in Unix milliseconds. */
const START = 0x0199_f3a2_0000;
const EVERYTHING = { spaceId: null, from: null, to: null };

test('old entries are removed in steps, and newer entries remain', async () => {
  await using store = await openNewStore();
  const { db } = store;
  const repository = createAuditRepository(db);
  const rows = Array.from({ length: 1500 }, (_, index) => ({
    id: `0199f3a2-0000-7000-8000-${String(index).padStart(12, '0')}`,
    at: START + index,
    action: 'bot.created',
    actor_kind: 'user' as const,
    actor_id: null,
    session_id: null,
    address: null,
    resource_space_id: null,
    resource_id: null,
    sub: null,
    details: null,
  }));
  for (let at = 0; at < rows.length; at += 500)
    await db
      .insertInto('audit_entries')
      .values(rows.slice(at, at + 500))
      .execute();
  assert.equal(await repository.removeSomeBefore(START + 1400), true);
  assert.equal(await repository.removeSomeBefore(START + 1400), false);
  const left = await repository.list(EVERYTHING, null, 200);
  assert.deepEqual(
    left.map(({ at }) => Number(at)),
    rows
      .slice(1400)
      .map(({ at }) => at)
      .toReversed(),
  );
});

test('the removal of old entries reads no newer entries', { skip: ON_POSTGRES }, async () => {
  await using store = await openNewStore();
  const { db, queries } = recordQueries(store.db);
  assert.equal(await createAuditRepository(db).removeSomeBefore(START), false);
  assert.equal(queries.length, 2);
  assert.deepEqual(await largeReads(store.db, queries, ['audit_entries', 'links']), []);
});

test('an action has the origin of the code that awaits it, and background work has none', async () => {
  await using store = await openNewStore();
  const { db } = store;
  const fact = { action: 'bot.deleted', spaceId: 'a', resourceId: 7 } as const;
  await recordAction(db, fact);
  const origin = { actor: NOBODY, address: '203.0.113.7' };
  await actingFrom(origin, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    await recordAction(db, fact);
    await actingFrom(null, () => recordAction(db, fact));
    await actingFrom(OPERATOR, () => recordAction(db, fact));
  });
  const found = await createAuditRepository(db).list(EVERYTHING, null, 10);
  assert.deepEqual(found.map(({ actor_kind, address }) => [actor_kind, address]).toSorted(), [
    ['anonymous', '203.0.113.7'],
    ['operator', null],
  ]);
  assert.deepEqual([found[0]?.resource_id, found[0]?.resource_space_id], ['7', 'a']);
});
