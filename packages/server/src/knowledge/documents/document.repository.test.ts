import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, before, test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { type CompiledQuery, sql } from 'kysely';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import type { Page } from '../../http/index.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import {
  type DocumentOrder,
  type KnowledgeEngine,
  KnowledgeScope,
  type ReadCaller,
} from '../../storage/ports/index.ts';
import { addDocument } from '../../storage/ports/knowledge-engine-under-test.suite.ts';
import { largeFilter } from '../../storage/ports/large-filter.suite.ts';
import { createDocumentRepository, type DocumentRepository } from './document.repository.ts';
import { createDocuments } from './document.service.ts';

/** More documents than one step of a read with a large filter selects on PostgreSQL. */
const DOCUMENTS = 520;
const AT_ONCE = 8;
const SPACE = randomUUIDv7();
const OTHER_SPACE = randomUUIDv7();

const store = await openNewStore();
const { list, find, named } = createDocumentRepository(store.knowledge);
after(() => store[Symbol.asyncDispose]());

const idOf = (n: number) => `01900000-0000-7000-8000-${`${n}`.padStart(12, '0')}`;
const levelOf = (n: number) => (n % 100 === 7 ? 'rare' : n % 2 === 0 ? 'even' : 'odd');
const all = Array.from({ length: DOCUMENTS }, (_, n) => n);
const idsWith = (level: string) => all.filter((n) => levelOf(n) === level).map(idOf);

before(async () => {
  for (const spaceId of [SPACE, OTHER_SPACE]) await addSpace(store, spaceId);
  const waiting = [...all];
  const insertSome = async () => {
    for (let n = waiting.shift(); n !== undefined; n = waiting.shift())
      await addDocument(store.knowledge, {
        spaceId: n === 7 ? OTHER_SPACE : SPACE,
        id: idOf(n),
        metadata: { level: levelOf(n) },
        texts: [],
      });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, insertSome));
});

const scopeFor = (filter: object) => new KnowledgeScope(SPACE, filterOf(filter));

const scopeOf = (level: string) => scopeFor(largeFilter('level', level));
const even = scopeFor({ level: { eq: 'even' } });

test('pages of a list with a large filter contain each document of the scope once, in order', async () => {
  for (const level of ['rare', 'even'])
    for (const order of ['oldest', 'newest'] as const) {
      const found: string[] = [];
      for (;;) {
        const after = found.at(-1) ?? null;
        const page = await list(scopeOf(level), { after, count: 100, order });
        found.push(...page.map(({ id }) => id));
        if (page.length < 100) break;
      }
      const expected = idsWith(level).filter((id) => id !== idOf(7));
      assert.deepEqual(found, order === 'oldest' ? expected : expected.toReversed());
    }
  assert.deepEqual(await list(scopeOf('none'), { after: null, count: 10 }), []);
  assert.equal((await list(scopeOf('odd'), { after: null, count: 1, state: 'ready' })).length, 1);
  assert.deepEqual(await list(scopeOf('odd'), { after: null, count: 9, state: 'failed' }), []);
});

test('documents are found by ID only if a large filter accepts them', async () => {
  const scope = scopeOf('odd');
  assert.equal((await find(scope, idOf(1)))?.file_name, idOf(1));
  assert.equal(await find(scope, idOf(2)), undefined);
  assert.equal(await find(scopeOf('rare'), idOf(7)), undefined, 'a document of another space');
  const names = await named(scope, all.map(idOf));
  assert.deepEqual(names.map(({ id }) => id).toSorted(), idsWith('odd'));
});

/** Lists all pages of a search for text. A page examines at most 100 documents. */
async function searchPages(text: string, caller: ReadCaller, order: DocumentOrder = 'oldest') {
  const engine = store.knowledge;
  const documents = createDocuments({ engine, clock: Date.now, onWork() {}, maxExamined: 100 });
  const scope = new KnowledgeScope(SPACE, filterOf({ search: text }), caller);
  const pages: string[][] = [];
  for (let after: string | null = null; ; ) {
    const page: Page<{ readonly id: string }> = await documents.list(scope, {
      search: text,
      order,
      limit: 7,
      ...(after === null ? {} : { after }),
    });
    pages.push(page.items.map(({ id }) => id));
    if (page.next === null) return pages;
    after = page.next;
  }
}

test('each page of a search for a rare text examines a limited number of documents, and all pages together find every match once', async () => {
  const pages = await searchPages('00000000051', 'user editor');
  const ids = all.map(idOf).filter((id) => id.includes('00000000051'));
  assert.deepEqual(pages.flat(), ids);
  assert.ok(pages.some(({ length }) => length === 0));
  const rare = await searchPages('0519', 'user editor');
  assert.deepEqual(rare, [[], [], [], [], [], [idOf(519)]]);
  assert.deepEqual(await searchPages('nowhere', 'key backend'), [[], [], [], [], [], []]);
  const newest = await searchPages('00000000051', 'user editor', 'newest');
  assert.deepEqual(newest.flat(), ids.toReversed());
  const oldest = await searchPages('-000000000003', 'user editor', 'newest');
  assert.deepEqual(oldest, [[], [], [], [], [], [idOf(3)]]);
});

test('a search through a link has no short pages, which would reveal the number of hidden documents', async () => {
  assert.deepEqual(await searchPages('0519', 'link 1'), [[idOf(519)]]);
  assert.deepEqual(await searchPages('nowhere', 'link 1'), [[]]);
});

/** Records the queries with which documents are read. */
async function queriesOf(read: (documents: DocumentRepository) => Promise<unknown>) {
  const engine = store.knowledge;
  const queries: CompiledQuery[] = [];
  const documents: KnowledgeEngine['documents'] = (scope, query, page) =>
    engine.documents(
      scope,
      (inScope) => {
        const complete = query(inScope);
        queries.push(complete.compile());
        return complete;
      },
      page,
    );
  await read(createDocumentRepository({ ...engine, documents }));
  return queries;
}

/** Returns the plan of a query without the direction in which it reads indexes. */
async function planOf(query: CompiledQuery): Promise<string> {
  const explain = ON_POSTGRES ? 'explain (costs off)' : 'explain query plan';
  return store.knowledge.db.transaction().execute(async (trx) => {
    // Reads of documents have the same setting.
    if (ON_POSTGRES) await sql`set local enable_seqscan = off`.execute(trx);
    const { sql: text } = sql`${sql.raw(`${explain} ${query.sql}`)}`.compile(trx);
    const { rows } = await trx.executeQuery<object>({ ...query, sql: text });
    const lines = rows.map((row) => ('detail' in row ? row.detail : Object.values(row)[0]));
    return lines
      .join('\n')
      .replaceAll(/ Backward| DESC/g, '')
      .replaceAll(/(?<=\bid ?)</g, '>');
  });
}

test('a read of few documents does not list all documents that have a value of the filter', async () => {
  if (ON_POSTGRES) await sql`analyze documents`.execute(store.knowledge.db);
  const queries = await queriesOf(async (documents) => {
    await documents.named(even, [idOf(2), idOf(3)]);
    await documents.find(even, idOf(2));
    await documents.findFile(even, { sha256: 'none', fileName: 'none' });
  });
  assert.equal(queries.length, 3);
  for (const plan of await Promise.all(queries.map(planOf)))
    assert.doesNotMatch(plan, /SEARCH v |document_values|seq scan|scan documents/i);
});

test('a list with the newest documents first reads the same indexes as the other order, and sorts no documents', async () => {
  const all = new KnowledgeScope(SPACE, matchAll);
  if (ON_POSTGRES) await sql`analyze documents`.execute(store.knowledge.db);
  for (const [scope, conditions] of [
    [all, {}],
    [all, { state: 'ready' }],
    [all, { state: 'failed' }],
    [all, { through: idOf(300) }],
    [even, {}],
  ] as const)
    for (const after of [null, idOf(300)]) {
      const listIn = (order: DocumentOrder) =>
        queriesOf(({ list }) => list(scope, { ...conditions, after, count: 3, order }));
      const oldest = await listIn('oldest');
      const newest = await listIn('newest');
      const plans = await Promise.all(newest.map(planOf));
      assert.deepEqual(plans, await Promise.all(oldest.map(planOf)));
      if (scope === all)
        for (const plan of plans) assert.doesNotMatch(plan, /sort|temp b-tree|seq scan/i);
    }
});
