import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { readQuery } from '../../lib/text/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { batchOf } from '../../storage/ports/event-batch.suite.ts';
import type { ProjectionRow, RecordRow, Term } from '../../storage/ports/index.ts';
import { KnowledgeScope } from '../../storage/ports/knowledge-scope.ts';
import { largeFilter } from '../../storage/ports/large-filter.suite.ts';
import { largeReads, recordQueries } from '../../storage/query-plans.suite.ts';
import { ProjectionSteps } from './advance.ts';
import { createEraseRecords } from './erase-records.ts';
import { createProjectionRepository } from './projection.repository.ts';
import { ProjectionWorker } from './projection-worker.ts';
import { createRecordRepository } from './record.repository.ts';

const store = await openNewStore();
after(() => store[Symbol.asyncDispose]());

const { knowledge: engine, writeAtomically, events } = store;
const TERM: Term = { signal: new AbortController().signal, isHeld: () => true, fence: [] };
const erase = createEraseRecords({
  engine,
  writeAtomically,
  events,
  clock: () => 5,
  maxRecords: 3,
});
const steps = new ProjectionSteps(
  { engine, writeAtomically, events, clock: () => 5, maxRecords: 3 },
  TERM,
);
const projections = createProjectionRepository(engine.db);

async function newProjection() {
  const spaceId = randomUUIDv7();
  await addSpace(store, spaceId);
  const definition = {
    name: 'Order',
    types: ['order.placed'],
    sources: null,
    deletedBy: [],
    key: 'subject',
    fields: { status: '/status' },
    title: 'Order {key}',
    text: 'Order {key} is {status}.',
    metadata: {},
  };
  const row: ProjectionRow = {
    space_id: spaceId,
    id: randomUUIDv7(),
    definition: JSON.stringify(definition),
    state: 'live',
    generation: 1,
    revision: 1,
    position: 0,
    published_key: null,
    created_at: 1,
    updated_at: 1,
  };
  assert.equal(await projections.insert(row, []), 'inserted');
  const current = async (): Promise<ProjectionRow> => {
    const found = await projections.row(spaceId, row.id);
    assert.ok(found);
    return found;
  };
  const titles = async () => {
    const documents = engine.db.selectFrom('documents').where('space_id', '=', spaceId);
    const rows = await documents.select('title').orderBy('title').execute();
    return rows.map(({ title }) => title);
  };
  return {
    spaceId,
    id: row.id,
    current,
    titles,
    send: (id: string, subject: string) =>
      events.append([batchOf(spaceId, [{ id, subject, data: { status: id } }])]),
  };
}

test('of two steps with the same page, only one stores its effects', async () => {
  const { send, current, titles } = await newProjection();
  await send('e1', 'a');
  const row = await current();
  const results = await Promise.allSettled([steps.advance(row, 0), steps.advance(row, 0)]);
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  assert.deepEqual(await titles(), ['Order a']);
  assert.equal((await current()).position, 1);
});

test('a page that was read before an erasure or a change stores nothing', async () => {
  const { spaceId, send, current, titles } = await newProjection();
  await send('e1', 'a');
  const row = await current();
  await projections.interrupt(spaceId);
  await assert.rejects(steps.advance(row, 0));
  assert.deepEqual(await titles(), []);
  assert.equal((await current()).position, 0);
});

for (const name of ['changed', 'deleted'])
  test(`the records of a ${name} projection are hidden before they are removed`, async () => {
    const { spaceId, id, send, current, titles } = await newProjection();
    await send('e1', 'a');
    await steps.advance(await current(), 0);
    const filters = [{}, { fileName: { like: '%' } }, { not: largeFilter('level', 'secret') }];
    const scopes = filters.map((filter) => new KnowledgeScope(spaceId, filterOf(filter)));
    const seen = (scope: KnowledgeScope) =>
      Promise.all([
        engine.search(scope, readQuery('order'), 10),
        engine.documents(scope, (inScope) => inScope.select('id')),
        engine.documents(scope, (inScope) => inScope.select('id'), { after: null, count: 10 }),
      ]);
    for (const scope of scopes)
      for (const found of await seen(scope)) assert.equal(found.length, 1);
    if (name === 'deleted') await projections.remove(spaceId, id);
    else await projections.change(spaceId, id, (stored) => stored.replace('is', 'was'), 5);
    for (const scope of scopes) assert.deepEqual(await seen(scope), [[], [], []]);
    assert.deepEqual(await titles(), ['Order a'], 'the worker removes the records later');
  });

test('a record is removed when its newest event is past the retention of the space', async () => {
  const { spaceId, send, current, titles } = await newProjection();
  for (const [index, subject] of ['a', 'b', 'a', 'c'].entries()) await send(`e${index}`, subject);
  await steps.advance(await current(), 0);
  assert.deepEqual(await titles(), ['Order a', 'Order b', 'Order c']);
  assert.equal(await steps.removeExpired(await current()), 0);
  while ((await events.removeUpTo(spaceId, 2)) > 0);
  assert.equal(await steps.removeExpired(await current()), 1);
  assert.deepEqual(await titles(), ['Order a', 'Order c']);
  while ((await events.removeUpTo(spaceId, 4)) > 0);
  assert.equal(await steps.removeExpired(await current()), 2);
  assert.deepEqual(await titles(), []);
});

test('an erasure leaves no record whose key names the person', async () => {
  const { spaceId, send, current, titles } = await newProjection();
  await send('e1', 'ada');
  await send('e2', 'bob');
  await steps.advance(await current(), 0);
  while ((await events.removeUpTo(spaceId, 1)) > 0);
  assert.equal(await erase(spaceId, 'ada'), 1);
  assert.deepEqual(await titles(), ['Order bob']);
  for (const table of ['records', 'record_subjects'] as const) {
    const rows = engine.db.selectFrom(table).where('space_id', '=', spaceId).select('key');
    const keys = (await rows.execute()).map(({ key }) => key);
    assert.deepEqual(keys, ['bob'], table);
  }
});

test('an erasure while records are published hides no record that other events support', async () => {
  const { spaceId, id, send, current, titles } = await newProjection();
  await send('e1', 'ada');
  await steps.advance(await current(), 0);
  await projections.rebuild(spaceId, id);
  while ((await current()).published_key !== 'ada')
    await steps.advance(await current(), (await current()).position);
  await erase(spaceId, 'ada');
  while ((await current()).state !== 'live')
    await steps.advance(await current(), (await current()).position);
  assert.deepEqual(await titles(), ['Order ada']);
});

test('deleting a space removes the states of its records', async () => {
  const { spaceId, send, current } = await newProjection();
  await send('e1', 'a');
  await steps.advance(await current(), 0);
  await store.db.deleteFrom('spaces').where('id', '=', spaceId).execute();
  while (!(await engine.index.deleteSomeOfSpace(spaceId))) await sleep(0);
  for (const table of ['projections', 'records', 'record_subjects', 'documents'] as const) {
    const rows = engine.db.selectFrom(table).where('space_id', '=', spaceId).selectAll();
    assert.deepEqual(await rows.execute(), [], table);
  }
});

test('a projection with its maximum number of records ignores other keys and still updates its records', async () => {
  const { send, current, titles, spaceId, id } = await newProjection();
  for (const subject of ['a', 'b', 'c', 'd']) await send(`first ${subject}`, subject);
  while ((await steps.advance(await current(), (await current()).position)).more);
  assert.deepEqual(await titles(), ['Order a', 'Order b', 'Order c']);
  await send('second a', 'a');
  await send('second e', 'e');
  const row = await current();
  await steps.advance(row, row.position);
  assert.deepEqual(await titles(), ['Order a', 'Order b', 'Order c']);
  const texts = await engine.db
    .selectFrom('records')
    .where('space_id', '=', spaceId)
    .where('key', '=', 'a')
    .select('state')
    .execute();
  assert.match(String(texts[0]?.state), /second a/);
  assert.equal(Number((await projections.find(spaceId, id))?.stored), 3);
});

test('the lag counts the events that a projection has not examined, until it has caught up or its term ends', async () => {
  const { send } = await newProjection();
  let isHeld = false;
  const worker = await ProjectionWorker.start(
    {
      ...{ engine, writeAtomically, events, maxRecords: 3, clock: () => 5 },
      onRemoved: () => {},
      onError: (error) => assert.fail(error as Error),
    },
    { ...TERM, isHeld: () => isHeld },
  );
  for (const id of ['e1', 'e2', 'e3', 'e4', 'e5', 'e6']) await send(id, id);
  assert.equal(await worker.lag(), 6);
  isHeld = true;
  worker.onHint('changed');
  while ((await worker.lag()) > 0) await sleep(5);
  isHeld = false;
  await send('e7', 'a');
  assert.equal(await worker.lag(), 1);
  await worker.stop();
  assert.equal(await worker.lag(), 0);
});

test('the lag of any number of projections takes one statement of their table', async () => {
  await newProjection();
  await newProjection();
  const { db, queries } = recordQueries(engine.db);
  const worker = await ProjectionWorker.start(
    {
      ...{ engine: { ...engine, db }, writeAtomically, events, maxRecords: 3, clock: () => 5 },
      onRemoved: () => {},
      onError: (error) => assert.fail(error as Error),
    },
    { ...TERM, isHeld: () => false },
  );
  // An append of an earlier test can still wake projections, and their queries are recorded too. One call without such queries is enough.
  let fewest = Number.POSITIVE_INFINITY;
  for (let call = 0; call < 100 && fewest > 1; call += 1) {
    await sleep(10);
    queries.splice(0);
    await worker.lag();
    fewest = Math.min(fewest, queries.length);
  }
  assert.equal(fewest, 1);
  await worker.stop();
});

test('finding the documents of records reads no other documents of the space', {
  skip: ON_POSTGRES,
}, async () => {
  const { db, queries } = recordQueries(engine.db);
  const records = createRecordRepository({ ...engine, db });
  const rows = Array.from({ length: 20 }, (_, document) => ({ document }) as RecordRow);
  await records.documents(randomUUIDv7(), rows);
  assert.equal(queries.length, 1);
  assert.deepEqual(await largeReads(engine.db, queries, ['documents']), []);
});
