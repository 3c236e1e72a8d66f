import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { evaluate, type Filter, type FilterRecord, matchAll } from '@gatehouse/filter';
import { FULL } from '@gatehouse/filter/tests/campaign';
import {
  randomDocuments,
  randomFilter,
} from '../../../tests/support/knowledge/restricted-documents.ts';
import { seeded } from '../../../tests/support/seeded.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { readQuery } from '../../lib/text/index.ts';
import { cosineScore, toBytes } from '../vectors/quantise.ts';
import { addSpace } from './add-space.suite.ts';
import type { DocumentOrder, KnowledgeEngine } from './knowledge-engine.ts';
import { addDocument, type OpenKnowledge, TIME } from './knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from './knowledge-scope.ts';

/** Greater than the lookup limit, so wide filters scan the space and narrow filters use the index. */
const DOCUMENTS = 2600;
const AT_ONCE = 20;
const SPACES = ['0199f3a2-0000-7000-8000-00000000000a', '0199f3a2-0000-7000-8000-00000000000b'];
const MODEL = 'small';
const DIMENSIONS = 64;
const LIMIT = 10;
/** Number of filters for keyword searches, for vector searches, and for lists. */
const [KEYWORD_FILTERS, VECTOR_FILTERS, LIST_FILTERS] = FULL ? [2000, 500, 200] : [60, 30, 6];
/** Sizes of pages. Steps of a read with a large filter select 512 documents on PostgreSQL. */
const PAGE_SIZES = [60, 512, DOCUMENTS];

const random = seeded(Number(process.env['GATEHOUSE_TEST_SEED'] ?? 20_261_121));
const randomVector = () => Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);

interface Stored {
  readonly spaceId: string;
  readonly marker: string;
  readonly topic: string;
  readonly record: FilterRecord;
  readonly bytes: Int8Array;
}

function randomFilters(count: number): Filter[] {
  const filters: Filter[] = [matchAll];
  while (filters.length <= count) {
    const filter = randomFilter(random);
    filters.push(filterOf(filters.length % 3 === 0 ? { and: [filter, ...hold] } : filter));
  }
  return filters;
}

/** Conditions that every document satisfies. With so many of them, the filter is compiled. */
const hold = Array.from({ length: 20 }, (_, index) => ({ fileName: { ne: `nowhere ${index}` } }));

/** Compares searches on random documents and filters with the results of the filter evaluator. */
export function inScopeTests(open: OpenKnowledge): void {
  let opened: Awaited<ReturnType<OpenKnowledge>>;
  let engine: KnowledgeEngine;
  const stored = new Map<string, Stored>();

  before(async () => {
    opened = await open();
    engine = opened.store.knowledge;
    for (const spaceId of SPACES) await addSpace(opened.store, spaceId);
    const vectors = new Map<number, Float32Array>();
    const documents = [...randomDocuments(random, DOCUMENTS).entries()];
    while (documents.length > 0)
      await Promise.all(
        documents.splice(0, AT_ONCE).map(async ([index, document]) => {
          const { marker, topic, fileName, text, metadata } = document;
          const spaceId = SPACES[index % 2] ?? '';
          const own = { spaceId, id: marker, fileName, metadata, texts: [text] };
          const vector = randomVector();
          vectors.set(await addDocument(engine, own), vector);
          const record = {
            metadata,
            fileName,
            mimeType: 'text/plain',
            language: null,
            createdAt: TIME,
            updatedAt: TIME,
          };
          stored.set(marker, { spaceId, marker, topic, record, bytes: toBytes(vector) });
        }),
      );
    for (;;) {
      const chunks = await engine.vectors.next(MODEL, 16);
      if (chunks.length === 0) break;
      const embedded = chunks.map(({ texts, ...chunk }) => ({
        ...chunk,
        vectors: texts.map(() => vectors.get(chunk.number) ?? assert.fail()),
      }));
      await engine.vectors.insert(MODEL, embedded);
    }
  });

  after(() => opened[Symbol.asyncDispose]());

  function nearestOf(query: Float32Array, spaceId: string, filter: Filter): string[] {
    return [...stored]
      .filter(([, one]) => one.spaceId === spaceId && evaluate(filter, one.record))
      .map(([id, { bytes }]) => ({ id, score: cosineScore(query, bytes, 0) }))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, LIMIT)
      .map(({ id }) => id);
  }

  test('keyword search finds exactly the documents of wide and narrow scopes', async () => {
    for (const [index, filter] of randomFilters(KEYWORD_FILTERS).entries()) {
      const spaceId = SPACES[index % 2] ?? '';
      const scope = new KnowledgeScope(spaceId, filter);
      const allowed = [...stored]
        .filter(([, one]) => one.spaceId === spaceId && evaluate(filter, one.record))
        .map(([id]) => id);
      const everything = await engine.search(scope, readQuery('handbook '), DOCUMENTS);
      assert.deepEqual(
        everything.map(({ documentId }) => documentId).toSorted(),
        allowed.toSorted(),
      );
      const { topic, marker } = random.pick([...stored.values()]);
      const query = readQuery(`${topic} handbook ${marker} `);
      const best = await engine.search(scope, query, LIMIT);
      assert.equal(best.length, Math.min(LIMIT, allowed.length));
      const wanted = allowed.filter((id) => stored.get(id)?.topic === topic);
      const isNamed = best.map(({ documentId }) => stored.get(documentId)?.topic === topic);
      assert.equal(isNamed.filter(Boolean).length, Math.min(LIMIT, wanted.length));
      assert.equal(
        isNamed.lastIndexOf(true),
        Math.min(LIMIT, wanted.length) - 1,
        'a document with rare words ranks below a document with common words',
      );
      if (allowed.includes(marker)) assert.equal(best[0]?.documentId, marker);
      for (const { documentId } of best) assert.ok(allowed.includes(documentId), documentId);
      for (const page of [undefined, { after: null, count: DOCUMENTS }]) {
        const listed = await engine.documents(scope, (inScope) => inScope.select('id'), page);
        assert.deepEqual(listed.map(({ id }) => id).toSorted(), allowed.toSorted());
      }
    }
  });

  async function listAll(scope: KnowledgeScope, order: DocumentOrder, count: number) {
    const found: string[] = [];
    for (;;) {
      const page = { after: found.at(-1) ?? null, count, order };
      const rows = await engine.documents(scope, (inScope) => inScope.select('id'), page);
      found.push(...rows.map(({ id }) => id));
      if (rows.length < count) return found;
    }
  }

  test('pages with the newest documents first contain the documents of the scope in the opposite order', async () => {
    for (const [index, filter] of randomFilters(LIST_FILTERS).entries()) {
      const spaceId = SPACES[index % 2] ?? '';
      const scope = new KnowledgeScope(spaceId, filter);
      const allowed = [...stored]
        .filter(([, one]) => one.spaceId === spaceId && evaluate(filter, one.record))
        .map(([id]) => id)
        .toSorted();
      for (const count of PAGE_SIZES) {
        assert.deepEqual(await listAll(scope, 'oldest', count), allowed);
        assert.deepEqual(await listAll(scope, 'newest', count), allowed.toReversed());
      }
    }
  });

  test('vector search finds only documents of the scope, and at least 90% of the nearest', async (t) => {
    const filters = randomFilters(VECTOR_FILTERS);
    let [wanted, found] = [0, 0];
    for (const [index, filter] of filters.entries()) {
      const spaceId = SPACES[index % 2] ?? '';
      const scope = new KnowledgeScope(spaceId, filter);
      const vector = randomVector();
      const hits = await engine.nearest(scope, { model: MODEL, vector }, LIMIT);
      for (const { documentId } of hits) {
        const hit = stored.get(documentId);
        assert.ok(hit?.spaceId === spaceId && evaluate(filter, hit.record), documentId);
      }
      const expected = nearestOf(vector, spaceId, filter);
      assert.equal(hits.length, expected.length);
      const ids = hits.map(({ documentId }) => documentId);
      wanted += expected.length;
      found += expected.filter((id) => ids.includes(id)).length;
    }
    t.diagnostic(`${found} of ${wanted} nearest`);
    assert.ok(found > wanted * 0.9);
  });

  test('vector search ignores vectors of other models and other dimensions', async () => {
    const scope = new KnowledgeScope(SPACES[0] ?? '', matchAll);
    const vector = randomVector();
    assert.deepEqual(await engine.nearest(scope, { model: 'other', vector }, LIMIT), []);
    const longer = new Float32Array(DIMENSIONS + 1).fill(1);
    assert.deepEqual(await engine.nearest(scope, { model: MODEL, vector: longer }, LIMIT), []);
  });

  test('vector search rejects a forged scope', async () => {
    const forged = { spaceId: SPACES[0], filter: matchAll } as unknown as KnowledgeScope;
    const query = { model: MODEL, vector: randomVector() };
    await assert.rejects(engine.nearest(forged, query, LIMIT), /require a KnowledgeScope/);
  });
}
