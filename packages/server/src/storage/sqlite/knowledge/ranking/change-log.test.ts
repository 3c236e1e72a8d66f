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
