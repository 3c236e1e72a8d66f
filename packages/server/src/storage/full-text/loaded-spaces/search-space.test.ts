import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { createDocumentChanges } from '../../../knowledge/documents/document-changes.repository.ts';
import { readQuery } from '../../../lib/text/index.ts';
import { newStoreLocation, openNewStore } from '../../open-store.suite.ts';
import { addSpace } from '../../ports/add-space.suite.ts';
import type { KnowledgeEngine } from '../../ports/knowledge-engine.ts';
import { addDocument } from '../../ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../ports/knowledge-scope.ts';

const SPACE = 'space';
const scope = new KnowledgeScope(SPACE, matchAll);

async function find(engine: KnowledgeEngine, query: string): Promise<string[]> {
  const hits = await engine.search(scope, readQuery(query), 1000);
  return hits.map(({ documentId }) => documentId);
}

async function add(engine: KnowledgeEngine, id: string): Promise<number> {
  return addDocument(engine, { spaceId: SPACE, id, metadata: {}, texts: ['amber', 'beacon'] });
}

test('a search finds all documents of a space even if loading takes several steps', async () => {
  using location = await newStoreLocation();
  const expected: string[] = [];
  {
    await using store = await location.open();
    await addSpace(store, SPACE);
    for (let count = 0; count < 16; count += 1) {
      const id = `document ${count}`;
      const words = Array.from({ length: 3000 }, (_, word) => `w${count}x${word}`).join(' ');
      const texts = Array.from({ length: 8 }, (_, part) => `amber ${words} ${part}`);
      await addDocument(store.knowledge, { spaceId: SPACE, id, metadata: {}, texts });
      expected.push(...texts.map(() => id));
    }
  }
  await using store = await location.open();
  const found = await Promise.all([
    find(store.knowledge, 'amber '),
    find(store.knowledge, 'amber '),
  ]);
  for (const ids of found) assert.deepEqual(ids.toSorted(), expected.toSorted());
});

test('after a document is indexed again, searches find only its new passages', async () => {
  await using store = await openNewStore();
  const { knowledge } = store;
  await addSpace(store, SPACE);
  const number = await add(knowledge, 'first');
  assert.deepEqual(await find(knowledge, 'amber '), ['first']);
  const time = '2026-11-22T12:00:00.000Z';
  const changes = createDocumentChanges(knowledge);
  const document = { id: 'first', number };
  await changes.changeFormat(
    scope,
    document,
    { mimeType: 'text/html', time },
    Buffer.from('bytes'),
  );
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
