import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, test } from 'node:test';
import { type JsonObject, matchAll } from '@gatehouse/filter';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/index.ts';
import { addDocument } from '../../storage/ports/knowledge-engine-under-test.suite.ts';
import { createDocumentChanges } from '../documents/document-changes.repository.ts';
import { createSearch, type SearchDeps, withSnippets } from './search.service.ts';

const store = await openNewStore();
after(() => store[Symbol.asyncDispose]());

const engine = store.knowledge;
const search = createSearch({ engine, vectorOf: null });
const MODEL = 'small';
const DIMENSIONS = 64;

async function newSpace(): Promise<KnowledgeScope> {
  const spaceId = randomUUIDv7();
  await addSpace(store, spaceId);
  return new KnowledgeScope(spaceId, matchAll);
}

function add(scope: KnowledgeScope, name: string, text: string, metadata: JsonObject = {}) {
  const id = `${name} ${scope.spaceId}`;
  return addDocument(engine, {
    spaceId: scope.spaceId,
    id,
    fileName: name,
    metadata,
    texts: [text],
  });
}

async function embed({ spaceId }: KnowledgeScope, number: number, vector: Float32Array) {
  await engine.vectors.insert(MODEL, [
    { spaceId, number, first: 0, isLast: true, vectors: [vector] },
  ]);
}

function vectorAlong(dimension: number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, (_, index) => (index === dimension ? 1 : 0));
}

/** Creates a search whose model returns the same vector for every query. */
function searchAlong(dimension: number, queries: string[] = []): ReturnType<typeof createSearch> {
  const vectorOf: SearchDeps['vectorOf'] = async (text) => {
    queries.push(text);
    return { model: MODEL, vector: vectorAlong(dimension) };
  };
  return createSearch({ engine, vectorOf });
}

function namesOf(found: readonly { readonly fileName: string }[]): string[] {
  return found.map(({ fileName }) => fileName);
}

test('a search returns passages with their document and highlights the words of the query', async () => {
  const scope = await newSpace();
  const text = 'The night train leaves from platform nine.';
  await add(scope, 'trains.txt', text, { team: 'travel' });
  const query = 'night trains?';
  const [found, ...rest] = withSnippets(query, await search(scope, { query }));
  assert.ok(found);
  assert.deepEqual(rest, []);
  assert.deepEqual(
    [found.fileName, found.position, found.text, found.heading, found.score, found.metadata],
    ['trains.txt', 0, text, null, 1, { team: 'travel' }],
  );
  const marked = found.highlights.map(([start, end]) => found.snippet.slice(start, end));
  assert.ok(marked.includes('night'), marked.join());
});

test('a search derives scores only from ranks and returns ten passages by default', async () => {
  const scope = await newSpace();
  for (let number = 0; number < 12; number += 1)
    await add(scope, `${number}.txt`, `Coffee number ${number}. ${'More of it. '.repeat(number)}`);
  const query = 'coffee';
  const found = withSnippets(query, await search(scope, { query }));
  assert.equal(found.length, 10);
  assert.deepEqual(
    found.slice(0, 4).map(({ score }) => score),
    [1, 0.5, 0.333, 0.25],
  );
  assert.equal((await search(scope, { query, limit: 3 })).length, 3);
  assert.equal((await search(scope, { query, limit: 50 })).length, 12);
});

test('a search finds nothing outside the scope, whatever the filter is', async () => {
  const all = await newSpace();
  await add(all, 'sales.txt', 'The secret plan.', { team: 'sales' });
  await add(all, 'legal.txt', 'The secret contract.', { team: 'legal' });
  const scope = new KnowledgeScope(all.spaceId, filterOf({ team: { eq: 'sales' } }));
  const query = 'secret';
  assert.deepEqual(namesOf(await search(scope, { query })), ['sales.txt']);
  assert.deepEqual(await search(scope, { query, filter: { team: { eq: 'legal' } } }), []);
  const wide = { or: [{ team: { eq: 'legal' } }, { team: { eq: 'sales' } }] };
  assert.deepEqual(namesOf(await search(scope, { query, filter: wide })), ['sales.txt']);
  assert.deepEqual(namesOf(await search(all, { query, filter: { team: { eq: 'legal' } } })), [
    'legal.txt',
  ]);
  assert.deepEqual(await search(await newSpace(), { query }), []);
});

test('a query without a word and an invalid filter are reported together', async () => {
  const scope = await newSpace();
  const filter = { team: { near: 1 } };
  await assert.rejects(search(scope, { query: '?!', filter }), {
    status: 400,
    code: 'knowledge.invalid',
    message:
      /^The request has 2 problems: query: must contain a letter or a digit; filter\.team\.near: /,
  });
});

test('a model adds passages that do not contain the words of the query', async () => {
  const scope = await newSpace();
  await add(scope, 'words.txt', 'A bicycle for two.');
  await embed(scope, await add(scope, 'meaning.txt', 'A tandem.'), vectorAlong(1));
  assert.deepEqual(namesOf(await search(scope, { query: 'bicycle' })), ['words.txt']);
  const queries: string[] = [];
  const found = await searchAlong(1, queries)(scope, { query: 'bicycle' });
  assert.deepEqual(namesOf(found).toSorted(), ['meaning.txt', 'words.txt']);
  assert.deepEqual(queries, ['bicycle']);
  const [first, ...rest] = await searchAlong(1)(scope, { query: 'bicycle', limit: 1 });
  assert.ok(first);
  assert.deepEqual(rest, []);
});

test('a passage that matches by keywords and by meaning ranks first', async () => {
  const scope = await newSpace();
  await add(scope, 'words.txt', 'A bicycle. A bicycle. A bicycle.');
  await embed(
    scope,
    await add(scope, 'both.txt', 'One bicycle among other words.'),
    vectorAlong(1),
  );
  const found = await searchAlong(1)(scope, { query: 'bicycle' });
  assert.deepEqual(namesOf(found), ['both.txt', 'words.txt']);
});

test('a search by meaning finds nothing outside the scope', async () => {
  const all = await newSpace();
  const hidden = await add(all, 'hidden.txt', 'A tandem.', { team: { eq: 'legal' } });
  await embed(all, hidden, vectorAlong(1));
  const scope = new KnowledgeScope(all.spaceId, filterOf({ team: { eq: 'sales' } }));
  assert.deepEqual(await searchAlong(1)(scope, { query: 'bicycle' }), []);
  assert.deepEqual(
    await searchAlong(1)(all, { query: 'bicycle', filter: { team: { eq: 'sales' } } }),
    [],
  );
  assert.deepEqual(namesOf(await searchAlong(1)(all, { query: 'bicycle' })), ['hidden.txt']);
});

test('a search does not find a document that becomes invisible while the model embeds the query', async () => {
  const all = await newSpace();
  const number = await add(all, 'plan.txt', 'The secret plan.', { team: 'sales' });
  await embed(all, number, vectorAlong(1));
  const vectorOf: SearchDeps['vectorOf'] = async () => {
    const change = { metadata: { team: 'board' }, updated_at: '2026-01-02T00:00:00.000Z' };
    await createDocumentChanges(engine).changeProperties(all, `plan.txt ${all.spaceId}`, change);
    return { model: MODEL, vector: vectorAlong(1) };
  };
  const scope = new KnowledgeScope(all.spaceId, filterOf({ team: { eq: 'sales' } }));
  assert.equal((await search(scope, { query: 'secret' })).length, 1);
  assert.deepEqual(await createSearch({ engine, vectorOf })(scope, { query: 'secret' }), []);
});

test('a quoted phrase matches only exact words', async () => {
  const scope = await newSpace();
  await embed(scope, await add(scope, 'meaning.txt', 'A tandem.'), vectorAlong(1));
  const queries: string[] = [];
  assert.deepEqual(await searchAlong(1, queries)(scope, { query: '"bicycle for two"' }), []);
  assert.deepEqual(queries, []);
});

test('a search uses keywords only if the model returns no vector', async () => {
  const scope = await newSpace();
  await add(scope, 'words.txt', 'A bicycle for two.');
  const withoutVector = createSearch({ engine, vectorOf: async () => null });
  assert.deepEqual(namesOf(await withoutVector(scope, { query: 'bicycle' })), ['words.txt']);
});

test('a failure of one ranking fails the whole search', async () => {
  const scope = await newSpace();
  await add(scope, 'words.txt', 'A bicycle for two.');
  const bug = new TypeError('a bug');
  const failing = createSearch({ engine, vectorOf: () => Promise.reject(bug) });
  await assert.rejects(failing(scope, { query: 'bicycle' }), bug);
});

test('an aborted search rejects with the reason of its signal', async () => {
  const scope = await newSpace();
  const reason = new Error('the client is gone');
  await assert.rejects(search(scope, { query: 'bicycle' }, AbortSignal.abort(reason)), reason);
});

test('a search by words and by meaning is repeated if a version of a document replaces another during the search', async () => {
  const scope = await newSpace();
  await add(scope, 'a.txt', 'The echidna digs.');
  let searches = 0;
  const interrupted = createSearch({
    vectorOf: async () => ({ model: MODEL, vector: vectorAlong(0) }),
    engine: {
      ...engine,
      async search(...request) {
        searches += 1;
        if (searches > 2) return engine.search(...request);
        // Another process replaces a document after the ranking by words, which then finds nothing.
        await engine.db
          .updateTable('knowledge_spaces')
          .set({ replacements: searches })
          .where('space_id', '=', scope.spaceId)
          .execute();
        return [];
      },
    },
  });
  assert.deepEqual(namesOf(await interrupted(scope, { query: 'echidna' })), ['a.txt']);
  assert.equal(searches, 3);
});
