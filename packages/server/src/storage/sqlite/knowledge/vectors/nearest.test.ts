import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { sql } from 'kysely';
import { addSpace } from '../../../ports/add-space.suite.ts';
import type { KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import { addDocument } from '../../../ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import { openStore, temporaryDirectory } from '../../open-store.suite.ts';

const SPACE = 'space';
const scope = new KnowledgeScope(SPACE, matchAll);
const vector = Float32Array.of(1, 0.5, -0.25, 1);

async function find(engine: KnowledgeEngine, model = 'small'): Promise<string[]> {
  const hits = await engine.nearest(scope, { model, vector }, 100);
  return hits.map(({ documentId, position }) => `${documentId}/${position}`);
}

function add(engine: KnowledgeEngine, id: string, passages: number): Promise<number> {
  const texts = Array.from({ length: passages }, (_, at) => `text ${at}`);
  return addDocument(engine, { spaceId: SPACE, id, metadata: {}, texts });
}

/** Embeds the next chunk of each document. Returns `false` if no chunk is left. */
async function embedSome({ vectors }: KnowledgeEngine, model = 'small'): Promise<boolean> {
  const chunks = await vectors.next(model, 16);
  const embedded = chunks.map(({ texts, ...chunk }) => ({
    ...chunk,
    vectors: texts.map(() => vector),
  }));
  await vectors.insert(model, embedded);
  return chunks.length > 0;
}

test('a search finds the embedded passages of a partially embedded document', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  await addSpace(store, SPACE);
  await add(store.knowledge, 'long', 80);
  const counts: number[] = [];
  do counts.push((await find(store.knowledge)).length);
  while (await embedSome(store.knowledge));
  assert.deepEqual(counts, [0, 32, 64, 80]);
});

test('while a new model embeds the documents again, a search finds the vectors of its own model', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const { knowledge } = store;
  await addSpace(store, SPACE);
  await add(knowledge, 'first', 1);
  while (await embedSome(knowledge));
  assert.deepEqual(await find(knowledge), ['first/0']);
  assert.deepEqual(await find(knowledge, 'large'), []);
  while (!(await knowledge.vectors.queueStale('large')));
  assert.deepEqual(await find(knowledge), ['first/0']);
  while (await embedSome(knowledge, 'large'));
  assert.deepEqual(await find(knowledge, 'large'), ['first/0']);
  assert.deepEqual(await find(knowledge), []);
});

test('a search includes all changes even if the log no longer contains some of them', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const { knowledge } = store;
  await addSpace(store, SPACE);
  await add(knowledge, 'first', 1);
  while (await embedSome(knowledge));
  assert.deepEqual(await find(knowledge), ['first/0']);
  await add(knowledge, 'second', 1);
  while (await embedSome(knowledge));
  await sql`insert into document_changes (space_id, number, reindexed)
    with recursive one (value) as (select 1 union all select value + 1 from one where value < 100001)
    select 'elsewhere', value, 1 from one`.execute(store.db);
  assert.deepEqual(await find(knowledge), ['first/0', 'second/0']);
});
