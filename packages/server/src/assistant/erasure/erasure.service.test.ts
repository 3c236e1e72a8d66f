import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import { until } from '../../../tests/support/until.ts';
import type { SpaceAccess } from '../../identity/index.ts';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { toEventBatch } from '../../storage/ports/index.ts';
import { largeReads, recordQueries } from '../../storage/query-plans.suite.ts';
import { addLink } from '../conversations/add-link.suite.ts';
import { createPageCallRepository } from '../tools/page-call.repository.ts';
import { createErasureRepository } from './erasure.repository.ts';
import { createErasures } from './erasure.service.ts';

const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
const SUB = 'person';

test('erases what requests that were running during the erasure have written afterwards', async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  const { db } = store;
  await addSpace(store, SPACE);
  await addLink(store, { spaceId: SPACE, id: 'link', sub: SUB });
  const erasedDeliveries: string[] = [];
  const errors: unknown[] = [];
  await using erasures = createErasures({
    db,
    events: {
      read: async () => ({ events: [], through: 0, more: false }),
      eraseSubject: async () => ({ erased: 1, through: 0, more: false }),
    },
    clock: () => 5,
    secret: randomBytes(32),
    removalOfResponses: (spaceId) =>
      db.deleteFrom('idempotent_responses').where('resource_space_id', '=', spaceId),
    eraseDeliveries: async (_spaceId, subject) => erasedDeliveries.push(subject),
    eraseRecords: async () => 0,
    onError: (error) => errors.push(error),
    settledAfterMs: 100,
  });
  const space = { spaceId: SPACE } as SpaceAccess;
  const erased = await erasures.erase(space, SUB, { events: true });
  assert.deepEqual([erased.links, erased.removedEvents, erased.removedDeliveries], [1, 1, 1]);
  const link = await db.selectFrom('links').selectAll().executeTakeFirst();
  assert.deepEqual(
    [link?.sub, link?.revoked_at, link?.restricted, JSON.parse(link?.payload ?? '')],
    [null, 5, 1, { v: 1, spaceId: SPACE, exp: 1e300 }],
  );

  // An exchange that found the link before the erasure records its opening.
  await db
    .insertInto('audit_entries')
    .values({
      id: 'late',
      at: 6,
      action: 'link.opened',
      actor_kind: 'anonymous',
      actor_id: null,
      session_id: null,
      address: null,
      details: null,
      resource_space_id: SPACE,
      resource_id: 'link',
      sub: SUB,
    })
    .execute();
  const subOf = async () => {
    const query = db.selectFrom('audit_entries').where('id', '=', 'late').select('sub');
    return (await query.executeTakeFirst())?.sub;
  };
  await until('the late entry is erased', async () => (await subOf()) !== SUB, 10_000);
  assert.match((await subOf()) ?? '', /^erased:/);
  await until('the deliveries are erased again', () => erasedDeliveries.length === 2, 10_000);
  assert.deepEqual(errors, []);
});

for (const end of ['after some seconds', 'when the service stops'] as const)
  test(`erases events that were received before the erasure and stored afterwards, and no later ones, ${end}`, async () => {
    using location = await newStoreLocation();
    await using store = await location.open();
    const { db, events } = store;
    await addSpace(store, SPACE);
    const ENDED = 1000;
    const append = (id: string, receivedAt: number, subject = SUB) => {
      const event = { specversion: '1.0', id, source: 'urn:test', type: 'call', subject };
      const target = { spaceId: SPACE, source: 'urn:test', receivedAt };
      return events.append([toEventBatch([event], target)]);
    };
    const ids = async () => {
      const page = await events.read({ spaceId: SPACE, after: 0, limit: 100 });
      return page.events.map(({ text }) => (JSON.parse(text) as { id: string }).id);
    };
    let [deliveries, records] = [0, 0];
    const errors: unknown[] = [];
    await using erasures = createErasures({
      db,
      events,
      clock: () => ENDED,
      secret: randomBytes(32),
      removalOfResponses: (spaceId) =>
        db.deleteFrom('idempotent_responses').where('resource_space_id', '=', spaceId),
      eraseDeliveries: async () => ++deliveries,
      eraseRecords: async () => ++records,
      onError: (error) => errors.push(error),
      ...(end === 'after some seconds' ? { settledAfterMs: 100 } : {}),
    });
    await append('before', 1);
    const space = { spaceId: SPACE } as SpaceAccess;
    assert.equal((await erasures.erase(space, SUB, { events: true })).removedEvents, 1);
    await append('late', ENDED);
    await append('other', ENDED, 'other');
    await append('new', ENDED + 1);
    if (end === 'when the service stops') await erasures[Symbol.asyncDispose]();
    else await until('the records are erased again', () => records === 2, 10_000);
    assert.equal(records, 2);
    assert.deepEqual(await ids(), ['other', 'new']);
    assert.equal(deliveries, 2);
    assert.deepEqual(errors, []);
  });

test('erases results of the page that a crash has left behind', async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  const { db } = store;
  await addSpace(store, SPACE);
  await addLink(store, { spaceId: SPACE, id: 'link', sub: SUB });
  await addLink(store, { spaceId: SPACE, id: 'other', sub: 'other' });
  const calls = createPageCallRepository(db);
  for (const linkId of ['link', 'other']) {
    await calls.insert({ spaceId: SPACE, linkId }, linkId, 10);
    await calls.answer({ spaceId: SPACE, linkId }, linkId, 'sealed', 5);
  }
  await createErasureRepository(db).erase({
    ...{ spaceId: SPACE, sub: SUB, pseudonym: 'erased', now: 20, removedEvents: 0 },
    removalsOfResponses: [],
  });
  const left = await db.selectFrom('page_tool_calls').select('link_id').execute();
  assert.deepEqual(
    left.map((row) => row.link_id),
    ['other'],
  );
});

test('the erasure of a person reads no messages of others', { skip: ON_POSTGRES }, async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  await addSpace(store, SPACE);
  const { db, queries } = recordQueries(store.db);
  await createErasureRepository(db).erase({
    ...{ spaceId: SPACE, sub: SUB, pseudonym: 'erased', now: 1, removedEvents: 0 },
    removalsOfResponses: [
      db.deleteFrom('idempotent_responses').where('resource_space_id', '=', SPACE),
    ],
  });
  assert.ok(queries.length > 5);
  const tables = ['messages', 'conversations', 'attachments', 'links'];
  assert.deepEqual(await largeReads(store.db, queries, tables), []);
});
