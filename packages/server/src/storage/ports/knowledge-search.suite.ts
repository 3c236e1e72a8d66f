import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { matchAll, parse } from '@gatehouse/filter';
import { createDocumentChanges } from '../../knowledge/documents/document-changes.repository.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { readQuery } from '../../lib/text/index.ts';
import { StorageUnavailable } from '../../lib/threads/storage-errors.ts';
import { addSpace } from './add-space.suite.ts';
import type { KnowledgeEngine, RankedPassage } from './knowledge-engine.ts';
import { addDocument, type OpenKnowledge, TIME } from './knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from './knowledge-scope.ts';
import { largeFilter } from './large-filter.suite.ts';

/** Number of documents with the level `closed`. Their passages rank higher than the passages of all other documents. */
const FORBIDDEN_DOCUMENTS = 50;
const PASSAGES_EACH = 200;
const ALLOWED_DOCUMENTS = 300;
const SPACE = 'space';

export function searchTests(open: OpenKnowledge): void {
  let opened: Awaited<ReturnType<OpenKnowledge>>;
  let engine: KnowledgeEngine;

  before(async () => {
    opened = await open();
    engine = opened.store.knowledge;
    await addSpace(opened.store, SPACE);
    // Short passages with many query terms rank highest.
    for (let index = 0; index < FORBIDDEN_DOCUMENTS; index += 1)
      await add(
        'closed',
        index,
        Array.from({ length: PASSAGES_EACH }, () => 'amber beacon amber beacon'),
      );
    const rest = 'and a good many other words that have nothing to do with it '.repeat(3);
    for (let index = 0; index < ALLOWED_DOCUMENTS; index += 1)
      await add('open', index, [`amber ${index % 30 === 0 ? 'beacon' : ''} ${rest}`]);
  });

  after(() => opened[Symbol.asyncDispose]());

  async function add(level: string, index: number, texts: readonly string[]): Promise<void> {
    const metadata = { level, parity: index % 2 };
    await addDocument(engine, { spaceId: SPACE, id: `${level} ${index}`, metadata, texts });
  }

  const scope = (filter: object) => new KnowledgeScope(SPACE, filterOf(filter));

  const search = (
    within: KnowledgeScope,
    query: string,
    limit = 10,
  ): Promise<readonly RankedPassage[]> => engine.search(within, readQuery(`${query} `), limit);

  const levels = (hits: readonly RankedPassage[]) =>
    new Set(hits.map(({ metadata }) => (JSON.parse(metadata) as { level: string }).level));

  test('returns ten permitted passages although 10,000 forbidden passages rank higher', async () => {
    const everything = new KnowledgeScope(SPACE, matchAll);
    assert.deepEqual(levels(await search(everything, 'amber beacon')), new Set(['closed']));
    const hits = await search(scope({ level: { eq: 'open' } }), 'amber beacon');
    assert.equal(hits.length, 10);
    assert.deepEqual(levels(hits), new Set(['open']));
    for (const { text } of hits)
      assert.match(text, /beacon/, 'a passage with one word ranks above passages with both');
  });

  test('returns the same passages whether or not a filter can use an index', async () => {
    const byValue = await search(scope({ level: { eq: 'open' } }), 'amber beacon', 50);
    const byRow = await search(scope({ level: { gte: 'open' } }), 'amber beacon', 50);
    assert.deepEqual(byRow, byValue);
    assert.equal(byRow.length, 50);
  });

  test('searches a scope with few documents completely', async () => {
    const few = scope({ level: { eq: 'open' }, fileName: { like: 'open 1_' } });
    const hits = await search(few, 'amber beacon', 50);
    assert.deepEqual(
      hits.map(({ documentId }) => documentId).toSorted(),
      Array.from({ length: 10 }, (_, index) => `open 1${index}`),
    );
    assert.deepEqual(await search(scope({ or: [] }), 'amber'), []);
  });

  test('finds nothing in another space', async () => {
    assert.deepEqual(await search(new KnowledgeScope('elsewhere', matchAll), 'amber'), []);
  });

  test('returns no passages of other documents for positions outside the document', async () => {
    const open = scope({ level: { eq: 'open' } });
    const all = await engine.passages(open, 'open 7', 0, 50);
    assert.equal(all.length, 1);
    for (const from of [-1, -65_536, -(2 ** 43), -Number.MAX_SAFE_INTEGER])
      assert.deepEqual(await engine.passages(open, 'open 7', from, 50), all);
    for (const from of [1, 65_535, 65_536, 2 ** 43, Number.MAX_SAFE_INTEGER])
      assert.deepEqual(await engine.passages(open, 'open 7', from, 50), []);
  });

  test('finds nothing for an unknown word or an unknown phrase', async () => {
    const everything = new KnowledgeScope(SPACE, matchAll);
    assert.deepEqual(await search(everything, 'zirconium'), []);
    assert.deepEqual(await search(everything, '"beacon beacon"'), []);
    assert.equal((await search(everything, '"beacon amber"')).length, 10);
  });

  test('finds a new word as soon as a document with it is indexed', async () => {
    const own = new KnowledgeScope('grows', matchAll);
    await addSpace(opened.store, 'grows');
    for (const word of ['quartz', 'basalt']) {
      assert.deepEqual(await search(own, word), []);
      await addDocument(engine, { spaceId: 'grows', id: word, metadata: {}, texts: [word] });
      assert.deepEqual(
        (await search(own, word)).map(({ documentId }) => documentId),
        [word],
      );
    }
  });

  for (const [name, filter] of [
    ['small', { level: { eq: 'open' } }],
    ['large', largeFilter('level', 'open')],
  ] as const)
    test(`does not read a document after its metadata hides it or after its deletion, with a ${name} filter`, async () => {
      const own = `changes ${name}`;
      await addSpace(opened.store, own);
      const changes = createDocumentChanges(engine);
      const parsed = parse(filter);
      assert.ok(parsed.ok);
      const within = new KnowledgeScope(own, parsed.filter);
      const document = { spaceId: own, metadata: { level: 'open' }, texts: ['amber'] };
      const ids = ['deleted', 'hidden', 'kept'];
      for (const id of ids) await addDocument(engine, { ...document, id });
      const assertReadable = async (readable: readonly string[]) => {
        const found = (await search(within, 'amber')).map(({ documentId }) => documentId);
        assert.deepEqual(found, readable);
        const page = { after: null, count: 10 };
        for (const some of [page, undefined]) {
          const listed = await engine.documents(within, (inScope) => inScope.select('id'), some);
          assert.deepEqual(listed.map(({ id }) => id).toSorted(), readable);
        }
        for (const id of ids) {
          const passages = await engine.passages(within, id, 0, 10);
          assert.equal(passages.length, readable.includes(id) ? 1 : 0, id);
        }
      };
      await assertReadable(['deleted', 'hidden', 'kept']);
      const change = (level: string) =>
        changes.changeProperties(within, 'hidden', { metadata: { level }, updated_at: TIME });
      await change('closed');
      await assertReadable(['deleted', 'kept']);
      await changes.remove(within, 'deleted');
      await assertReadable(['kept']);
      await change('open');
      await assertReadable(['hidden', 'kept']);
    });

  test('does not start a search that was aborted', async () => {
    const everything = new KnowledgeScope(SPACE, matchAll);
    const reason = new Error('client disconnected');
    const aborted = AbortSignal.abort(reason);
    await assert.rejects(engine.search(everything, readQuery('amber '), 10, aborted), reason);
    const controller = new AbortController();
    const searches = Array.from({ length: 40 }, () =>
      engine.search(everything, readQuery('amber beacon '), 10, controller.signal),
    );
    controller.abort(reason);
    const outcomes = await Promise.allSettled(searches);
    const failed = outcomes.filter((one) => one.status === 'rejected');
    assert.ok(failed.length > 0);
    for (const one of failed) assert.equal(one.reason, reason);
  });

  test('rejects searches beyond the queue limit of a space and serves other spaces', async () => {
    const everything = new KnowledgeScope(SPACE, matchAll);
    const searches = Array.from({ length: 100 }, () =>
      engine.search(everything, readQuery('amber '), 1),
    );
    const elsewhere = engine.search(
      new KnowledgeScope('elsewhere', matchAll),
      readQuery('amber '),
      1,
    );
    const outcomes = await Promise.allSettled(searches);
    const rejected = outcomes.filter((one) => one.status === 'rejected');
    assert.ok(rejected.length > 0);
    for (const one of rejected) assert.ok(one.reason instanceof StorageUnavailable);
    assert.deepEqual(await elsewhere, []);
  });

  test('rejects a forged scope', async () => {
    const forged = { spaceId: SPACE, filter: matchAll } as KnowledgeScope;
    await assert.rejects(search(forged, 'amber'), TypeError);
  });
}
