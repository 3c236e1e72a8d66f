import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { sql } from 'kysely';
import { createDocumentChanges } from '../../../../knowledge/documents/document-changes.repository.ts';
import { readQuery } from '../../../../lib/text/index.ts';
import { addSpace } from '../../../ports/add-space.suite.ts';
import type { KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import { addDocument } from '../../../ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import { openStore, temporaryDirectory } from '../../open-store.suite.ts';

const SPACE = 'space';
const scope = new KnowledgeScope(SPACE, matchAll);

async function find(engine: KnowledgeEngine, query: string): Promise<string[]> {
  const hits = await engine.search(scope, readQuery(query), 1000);
  return hits.map(({ documentId }) => documentId);
}

async function add(engine: KnowledgeEngine, id: string): Promise<number> {
  return addDocument(engine, { spaceId: SPACE, id, metadata: {}, texts: ['amber', 'beacon'] });
}

test('a search includes all changes even if the log no longer contains some of them', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const { knowledge } = store;
  await addSpace(store, SPACE);
  await add(knowledge, 'first');
  await add(knowledge, 'second');
  assert.deepEqual(await find(knowledge, 'amber '), ['first', 'second']);
  await createDocumentChanges(knowledge).remove(scope, 'first');
  await add(knowledge, 'third');
  await sql`insert into document_changes (space_id, number, reindexed)
    with recursive one (value) as (select 1 union all select value + 1 from one where value < 100001)
    select 'elsewhere', value, 1 from one`.execute(store.db);
  assert.deepEqual(await find(knowledge, 'amber '), ['second', 'third']);
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from document_changes`.execute(store.db);
  assert.equal(rows[0]?.count, 100_000);
});

test('a search finds all documents of a space even if loading takes several steps', async () => {
  using directory = temporaryDirectory();
  const expected: string[] = [];
  {
    await using store = await openStore(directory.path);
    await addSpace(store, SPACE);
    for (let count = 0; count < 16; count += 1) {
      const id = `document ${count}`;
      const words = Array.from({ length: 3000 }, (_, word) => `w${count}x${word}`).join(' ');
      const texts = Array.from({ length: 8 }, (_, part) => `amber ${words} ${part}`);
      await addDocument(store.knowledge, { spaceId: SPACE, id, metadata: {}, texts });
      expected.push(...texts.map(() => id));
    }
  }
  await using store = await openStore(directory.path);
  const found = await Promise.all([
    find(store.knowledge, 'amber '),
    find(store.knowledge, 'amber '),
  ]);
  for (const ids of found) assert.deepEqual(ids.toSorted(), expected.toSorted());
});

test('after a document is indexed again, searches find only its new passages', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
  const { knowledge } = store;
  await addSpace(store, SPACE);
  const number = await add(knowledge, 'first');
  assert.deepEqual(await find(knowledge, 'amber '), ['first']);
  const time = '2026-11-22T12:00:00.000Z';
  const changes = createDocumentChanges(knowledge);
  await changes.changeFormat(scope, number, { mimeType: 'text/html', time }, Buffer.from('bytes'));
  assert.deepEqual(await find(knowledge, 'amber '), []);
  const row = await knowledge.db.selectFrom('documents').select('number').executeTakeFirstOrThrow();
  const owner = { spaceId: SPACE, number: row.number, fileName: '', title: null };
  await knowledge.index.insert(owner, 0, [{ heading: [], text: 'coral' }]);
  await knowledge.db
    .updateTable('documents')
    .set({ state: 'ready', passages: 1 })
    .where('space_id', '=', SPACE)
    .execute();
  assert.deepEqual(await find(knowledge, 'amber '), []);
  assert.deepEqual(await find(knowledge, 'coral '), ['first']);
});
