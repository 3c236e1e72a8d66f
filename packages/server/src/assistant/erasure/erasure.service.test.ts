import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import { until } from '../../../tests/support/until.ts';
import type { SpaceAccess } from '../../identity/index.ts';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { type Store, toEventBatch } from '../../storage/ports/index.ts';
import { largeReads, recordQueries } from '../../storage/query-plans.suite.ts';
import { addLink } from '../conversations/add-link.suite.ts';
import { createPageCallRepository } from '../tools/page-call.repository.ts';
import { createErasureRepository } from './erasure.repository.ts';
import { createErasures } from './erasure.service.ts';

const SPACE = '0199f3a2-6c1e-7b54-9d3f-2a7c5e8b1f40';
const SUB = 'person';
const ACCESS = { spaceId: SPACE } as SpaceAccess;
const confirm = async () => {};
const SECRET = randomBytes(32);
/** Time after an erasure at which traces of running requests are removed. */
const SETTLED_MS = 5000;

/** Opens erasures whose clock and steps are visible to the test. */
function openErasures({ db, events, leases }: Store, clock: { now: number }, secret = SECRET) {
  const [deliveries, records, errors]: [string[], string[], unknown[]] = [[], [], []];
  const erasures = createErasures({
    ...{ db, events, leases },
    clock: () => clock.now,
    secret,
    removalOfResponses: (spaceId) =>
      db.deleteFrom('idempotent_responses').where('resource_space_id', '=', spaceId),
    eraseDeliveries: async (_spaceId, subject) => deliveries.push(subject),
    eraseRecords: async (_spaceId, subject) => records.push(subject),
    onError: (error) => errors.push(error),
  });
  return Object.assign(erasures, {
    ...{ deliveries, records, errors },
    /** Waits until no erasure is unfinished. */
    finished: async () => {
      const unfinished = () => db.selectFrom('erasures').selectAll().execute();
      await until('all erasures are finished', async () => (await unfinished()).length === 0);
    },
  });
}

/** Returns functions that append an event with a subject, and that list the IDs of the stored events. */
function logOf({ events }: Store) {
  return {
    append: (id: string, receivedAt: number, subject = SUB) => {
      const event = { specversion: '1.0', id, source: 'urn:test', type: 'call', subject };
      const target = { spaceId: SPACE, source: 'urn:test', receivedAt };
      return events.append([toEventBatch([event], target)]);
    },
    ids: async () => {
      const page = await events.read({ spaceId: SPACE, after: 0, limit: 100 });
      return page.events.map(({ text }) => (JSON.parse(text) as { id: string }).id);
    },
  };
}

test('erases what requests that were running during the erasure have written afterwards', async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  const { db } = store;
  await addSpace(store, SPACE);
  await addLink(store, { spaceId: SPACE, id: 'link', sub: SUB });
  await logOf(store).append('event', 1);
  const clock = { now: 5 };
  await using erasures = openErasures(store, clock);
  const erased = await erasures.erase(ACCESS, SUB, { events: true, confirm });
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
  clock.now += SETTLED_MS;
  await erasures.start();
  await erasures.finished();
  const late = await db
    .selectFrom('audit_entries')
    .where('id', '=', 'late')
    .select('sub')
    .execute();
  assert.match(late[0]?.sub ?? '', /^erased:/);
  assert.deepEqual([erasures.deliveries, erasures.errors], [[SUB, SUB], []]);
});

for (const end of ['while the service runs', 'after a restart'] as const)
  test(`five seconds later, erases events that were received before the erasure and stored afterwards, and no later ones, ${end}`, async () => {
    using location = await newStoreLocation();
    const ENDED = 1000;
    const clock = { now: ENDED };
    {
      await using store = await location.open();
      await addSpace(store, SPACE);
      const { append, ids } = logOf(store);
      await using erasures = openErasures(store, clock);
      if (end === 'while the service runs') await erasures.start();
      await append('before', 1);
      assert.equal((await erasures.erase(ACCESS, SUB, { events: true, confirm })).removedEvents, 1);
      await append('late', ENDED);
      await append('other', ENDED, 'other');
      await append('new', ENDED + 1);
      clock.now += SETTLED_MS - 1;
      if (end === 'while the service runs') {
        // The job checks every second.
        await sleep(1500);
        assert.deepEqual(await ids(), ['late', 'other', 'new']);
        clock.now += 1;
        await erasures.finished();
      }
    }
    clock.now += SETTLED_MS;
    await using store = await location.open();
    await using erasures = openErasures(store, clock);
    await erasures.start();
    await erasures.finished();
    assert.deepEqual(await logOf(store).ids(), ['other', 'new']);
    assert.deepEqual(erasures.errors, []);
  });

test('ten minutes later, completes an erasure whose request has failed', async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  await addSpace(store, SPACE);
  const { append, ids } = logOf(store);
  await append('event', 1);
  const clock = { now: 5 };
  {
    await using failing = openErasures(
      {
        ...store,
        events: { ...store.events, eraseSubject: () => Promise.reject(new Error('failed')) },
      },
      clock,
    );
    await assert.rejects(failing.erase(ACCESS, SUB, { events: true, confirm }), {
      message: 'failed',
    });
  }
  await using erasures = openErasures(store, clock);
  await erasures.start();
  clock.now += SETTLED_MS;
  await sleep(1500);
  assert.deepEqual(await ids(), ['event'], 'the request may still run');
  clock.now += 600_000;
  await erasures.finished();
  assert.deepEqual(await ids(), []);
  assert.deepEqual([erasures.deliveries, erasures.records, erasures.errors], [[SUB], [SUB], []]);
});

test('erases nothing if the right ends while the events of the person are counted', async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  await addSpace(store, SPACE);
  await addLink(store, { spaceId: SPACE, id: 'link', sub: SUB });
  const { append, ids } = logOf(store);
  await append('event', 1);
  let mayErase = true;
  const { events } = store;
  const read: typeof events.read = (request) => {
    mayErase = false;
    return events.read(request);
  };
  await using erasures = openErasures({ ...store, events: { ...events, read } }, { now: 5 });
  const erasing = erasures.erase(ACCESS, SUB, {
    events: true,
    confirm: async () => {
      if (!mayErase) throw new Error('the right has ended');
    },
  });
  await assert.rejects(erasing, /the right has ended/);
  assert.deepEqual(await ids(), ['event']);
  const link = await store.db.selectFrom('links').select(['sub', 'revoked_at']).executeTakeFirst();
  assert.deepEqual([link?.sub, link?.revoked_at], [SUB, null]);
});

test('events of a person who returned stay if the person is erased again without events', async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  await addSpace(store, SPACE);
  const { append, ids } = logOf(store);
  const clock = { now: 5 };
  await using erasures = openErasures(store, clock);
  await erasures.erase(ACCESS, SUB, { events: true, confirm });
  clock.now += 1;
  await append('returned', clock.now);
  await addLink(store, { spaceId: SPACE, id: 'link', sub: SUB });
  clock.now += 1;
  assert.equal((await erasures.erase(ACCESS, SUB, { events: false, confirm })).links, 1);
  clock.now += SETTLED_MS;
  await erasures.start();
  await erasures.finished();
  assert.deepEqual(await ids(), ['returned']);
});

test('an erasure is finished although the clock was set back', async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  await addSpace(store, SPACE);
  const clock = { now: 10_000_000 };
  await using erasures = openErasures(store, clock);
  await erasures.erase(ACCESS, SUB, { events: true, confirm });
  clock.now = 5;
  await erasures.start();
  await erasures.finished();
});

test('an erasure that was not finished before the secret was replaced is reported', async () => {
  using location = await newStoreLocation();
  await using store = await location.open();
  await addSpace(store, SPACE);
  const clock = { now: 5 };
  {
    await using erasures = openErasures(store, clock);
    await erasures.erase(ACCESS, SUB, { events: true, confirm });
  }
  clock.now += SETTLED_MS;
  await using erasures = openErasures(store, clock, randomBytes(32));
  await erasures.start();
  await erasures.finished();
  assert.match(String(erasures.errors), /erase the person again/);
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
    ...{
      spaceId: SPACE,
      sub: SUB,
      pseudonym: 'erased',
      sealedSub: '',
      now: 20,
      removedEvents: null,
    },
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
    ...{ spaceId: SPACE, sub: SUB, pseudonym: 'erased', sealedSub: '', now: 1, removedEvents: 0 },
    removalsOfResponses: [
      db.deleteFrom('idempotent_responses').where('resource_space_id', '=', SPACE),
    ],
  });
  assert.ok(queries.length > 5);
  const tables = ['messages', 'conversations', 'attachments', 'links'];
  assert.deepEqual(await largeReads(store.db, queries, tables), []);
});
