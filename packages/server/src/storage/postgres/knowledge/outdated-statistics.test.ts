/** Tests reads of a space that was filled after PostgreSQL last analysed its tables, for example by an import or a restore. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse } from '@gatehouse/filter';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { sql } from 'kysely';
import { createDocumentRepository } from '../../../knowledge/documents/document.repository.ts';
import { readQuery } from '../../../lib/text/index.ts';
import { addSpace } from '../../ports/add-space.suite.ts';
import { addDocument } from '../../ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../ports/knowledge-scope.ts';
import type { Store } from '../../ports/store.ts';
import { newDatabase } from '../database.suite.ts';
import { openStore } from '../open-store.suite.ts';
import { openPool, type Pool } from '../pool.ts';
import { permits } from './scope/scope-documents.ts';

const SPACE = '0199f3a2-0000-7000-8000-00000000000a';
/** So many documents that a nested-loop plan over half of them takes a minute. A read times out after two seconds. */
const DOCUMENTS = 20_000;
const MODEL = 'small';
const VECTOR = Float32Array.from({ length: 64 }, (_, at) => Math.sin(at + 1));

/**
 * Filters, each with the number of matching documents. Every second document has the tag `staff`, and every document has a
 * different owner.
 */
const FILTERS: readonly (readonly [object, number])[] = [
  [{ tags: { eq: 'staff' } }, DOCUMENTS / 2],
  [{ tags: { in: ['staff', 'legal'] } }, DOCUMENTS / 2],
  [{ not: { tags: { in: ['staff', 'legal'] } } }, DOCUMENTS / 2],
  [{ tags: { ne: 'staff' }, kind: { ne: 'other' } }, DOCUMENTS / 2],
  [{ tags: { eq: 'staff' }, kind: { eq: 'note' } }, DOCUMENTS / 2],
  [{ owner: { eq: 78 }, tags: { eq: 'staff' } }, 1],
  [{ 'acl.group': { eq: 'staff' }, 'acl.level': { gt: 1 } }, DOCUMENTS / 2],
  [{ 'acl.group': { ne: 'staff' }, 'acl.level': { lte: 2 } }, DOCUMENTS / 2],
  [{ or: [{ owner: { in: [78, 80] } }, { owner: { eq: 81 }, kind: { eq: 'note' } }] }, 3],
];

describe('a space without PostgreSQL statistics', {
  skip: postgresIsMissing,
}, () => {
  let store: Store;
  let pool: Pool;
  before(async () => {
    const url = await newDatabase();
    store = await openStore(url);
    pool = openPool({ url, connections: 1, onError: () => {} });
    for (const table of [
      'documents',
      'document_values',
      'passages',
      'term_vectors',
      'document_sketches',
    ])
      await pool.run(`alter table ${table} set (autovacuum_enabled = false)`);
    await fill();
  });
  after(async () => {
    await pool?.[Symbol.asyncDispose]();
    await store?.[Symbol.asyncDispose]();
  });

  /** Adds one document through the knowledge engine, and then copies its rows to create all other documents. */
  async function fill(): Promise<void> {
    const { knowledge } = store;
    await addSpace(store, SPACE);
    const acl = [{ group: 'staff', level: 1 }, { level: 2 }];
    const metadata = { tags: ['staff'], kind: 'note', owner: 0, acl };
    const document = { spaceId: SPACE, id: 'a', metadata, texts: ['A handbook.'] };
    const number = await addDocument(knowledge, document);
    const piece = { spaceId: SPACE, number, first: 0, isLast: true, vectors: [VECTOR] };
    await knowledge.vectors.insert(MODEL, [piece]);
    const others = `generate_series(1, ${DOCUMENTS - 1}) as n`;
    const tags = `case when n % 2 = 0 then 'staff' else 'press' end`;
    for (const statement of [
      `insert into documents (space_id, number, id, file_name, file_name_folded, mime_type, state, created_at,
        updated_at, metadata, metadata_folded, metadata_collected, size, sha256, passages)
      select space_id, number + n, id || n, file_name, file_name_folded, mime_type, state, created_at, updated_at,
        made, made::jsonb, replace(metadata_collected::text, 'staff', ${tags})::jsonb, size, sha256 || n, passages
      from documents, ${others},
        format('{"tags":["%s"],"kind":"note","owner":%s,"acl":[{"group":"%s","level":1},{"level":2}]}', ${tags}, n, ${tags}) as made`,
      `insert into document_values (space_id, path, value, document)
      select space_id, path, case when path in ('tags', 'acl.group') then format('"%s"', ${tags}) when path = 'owner' then n::text else value end,
        document + n
      from document_values, ${others}`,
      `insert into passages select space_id, document + n, position, heading, text from passages, ${others}`,
      `insert into term_vectors select space_id, document + n, position, terms from term_vectors, ${others}`,
      `insert into document_sketches select space_id, document + n, position, model, dimensions, sketches
      from document_sketches, ${others}`,
      `insert into document_vectors select space_id, document + n, position, vectors from document_vectors, ${others}`,
    ])
      await pool.run(statement);
  }

  for (const [filter, count] of FILTERS)
    test(`is searched within the time limit with the filter ${JSON.stringify(filter)}`, async () => {
      const parsed = parse(filter);
      assert.ok(parsed.ok);
      const scope = new KnowledgeScope(SPACE, parsed.filter);
      const { knowledge } = store;
      for (const order of ['oldest', 'newest'] as const) {
        const page = { after: null, count: 200, order };
        const listed = await createDocumentRepository(knowledge).list(scope, page);
        assert.equal(listed.length, Math.min(200, count));
      }
      const all = await knowledge.documents(scope, (inScope) => inScope.select('id'), {
        after: null,
        count: DOCUMENTS,
      });
      assert.equal(all.length, count);
      const hits = await knowledge.search(scope, readQuery('handbook '), 10);
      assert.equal(hits.length, Math.min(10, count));
      const near = await knowledge.nearest(scope, { model: MODEL, vector: VECTOR }, 10);
      assert.equal(near.length, Math.min(10, count));
    });

  test('is never read as a whole to find the newer version of a document', async () => {
    await pool.run('analyze documents');
    for (const [filter] of FILTERS) {
      const parsed = parse(filter);
      assert.ok(parsed.ok);
      const condition = permits(new KnowledgeScope(SPACE, parsed.filter));
      const { rows } = await sql<{
        'QUERY PLAN': string;
      }>`explain select id from documents where ${condition}`.execute(store.knowledge.db);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.match(plan, /Index Cond: .*\(replaces = documents\.number\)/);
    }
  });
});
