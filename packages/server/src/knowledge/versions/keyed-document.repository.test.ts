import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { matchAll } from '@gatehouse/filter';
import { ON_POSTGRES } from '../../../tests/support/storage/backend.ts';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { inTransaction, KnowledgeScope } from '../../storage/ports/index.ts';
import { largeFilter } from '../../storage/ports/large-filter.suite.ts';
import { largeReads, recordQueries } from '../../storage/query-plans.suite.ts';
import { createDocumentRepository } from '../documents/document.repository.ts';
import { createDocumentChanges } from '../documents/document-changes.repository.ts';
import { createMergeMetadata } from '../documents/merge-metadata.repository.ts';
import type { SentDocument } from '../documents/sent-document.ts';
import { startKnowledge } from '../knowledge.suite.ts';
import { promote } from './promote.repository.ts';
import { createVersionHistory } from './version-history.repository.ts';

const KEY = 'wiki/1';
const OPEN = { level: 'open' };
const CLOSED = { level: 'closed' };

/** Extraction waits for this promise. */
let gate: Promise<void> = Promise.resolve();
const { documents, search, store } = await startKnowledge(() => gate);

/** Stops extraction until the returned function is called or the result is disposed. */
function holdExtraction() {
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  return { release: held.resolve, [Symbol.dispose]: held.resolve };
}

async function newSpace() {
  const spaceId = randomUUIDv7();
  await addSpace(store, spaceId);
  const scopeWith = (filter: object) => new KnowledgeScope(spaceId, filterOf(filter));
  const scopeOf = (level: string) => scopeWith({ level: { eq: level } });
  const largeScopeOf = (level: string) => scopeWith(largeFilter('level', level));
  const all = new KnowledgeScope(spaceId, matchAll);
  const put = (text: string, sent: Partial<SentDocument> = {}, key = KEY) =>
    documents.put(all, key, {
      fileName: 'tapir.txt',
      mimeType: 'text/plain',
      content: Buffer.from(`The tapir is ${text}.`),
      metadata: OPEN,
      language: undefined,
      ...sent,
    });
  /** Returns the texts that a search finds in each of three scopes: the entire space, level `open`, and level `closed`. */
  const found = async () => {
    const foundIn = (scopes: readonly KnowledgeScope[]) =>
      Promise.all(
        scopes.map(async (scope) =>
          (await search(scope, { query: 'tapir' })).map(({ text }) => text),
        ),
      );
    const texts = await foundIn([all, scopeOf('open'), scopeOf('closed')]);
    const inLarge = await foundIn([all, largeScopeOf('open'), largeScopeOf('closed')]);
    assert.deepEqual(inLarge, texts);
    return texts;
  };
  const untilIndexed = async (id: string) => {
    for (let wait = 0; wait < 600; wait += 1) {
      const document = await documents.show(all, id);
      if (document.state !== 'processing') return document;
      await sleep(20);
    }
    return assert.fail('the document was not indexed within 12 seconds');
  };
  const putAndIndex = async (...args: Parameters<typeof put>) =>
    untilIndexed((await put(...args)).document.id);
  return { spaceId, all, scopeOf, largeScopeOf, put, found, untilIndexed, putAndIndex };
}

/** Returns the number of rows of a space in each table. */
async function rowsOf(spaceId: string) {
  const { db } = store.knowledge;
  const tables = ['documents', 'document_parts', 'document_values'] as const;
  return Promise.all(
    tables.map(
      async (table) =>
        (await db.selectFrom(table).where('space_id', '=', spaceId).select('space_id').execute())
          .length,
    ),
  );
}

const ONE = ['The tapir is one.'];
const TWO = ['The tapir is two.'];

test('until the new version is indexed, the old version is found only in scopes that contain both versions', async () => {
  const { put, putAndIndex, found, untilIndexed, all, scopeOf, largeScopeOf } = await newSpace();
  const { id, createdAt } = await putAndIndex('one');
  assert.deepEqual(await found(), [ONE, ONE, []]);
  using held = holdExtraction();
  const { document, isNew } = await put('two', { metadata: CLOSED });
  assert.deepEqual(
    [isNew, document.id, document.createdAt, document.state, document.metadata],
    [false, id, createdAt, 'processing', CLOSED],
  );
  assert.deepEqual(await found(), [ONE, [], []]);
  const levels = ['open', 'closed'];
  for (const scope of [...levels.map(scopeOf), ...levels.map(largeScopeOf)]) {
    await assert.rejects(documents.show(scope, id), { status: 404 });
    await assert.rejects(documents.original(scope, id), { status: 404 });
    await assert.rejects(documents.passages(scope, id, {}), { status: 404 });
    assert.deepEqual((await documents.list(scope, {})).items, []);
    assert.equal((await documents.named(scope, [id])).size, 0);
  }
  const listed = await documents.list(all, { state: 'processing' });
  assert.deepEqual(listed.items, [document]);
  assert.deepEqual((await documents.list(all, { state: 'ready' })).items, []);
  held.release();
  const { state, passages } = await untilIndexed(id);
  assert.deepEqual([state, passages], ['ready', 1]);
  assert.deepEqual(await found(), [TWO, [], TWO]);
});

test('if extraction of a new version fails, only scopes that contain both versions find the old one, and the document reports the reason', async () => {
  const { put, putAndIndex, found, all, scopeOf, untilIndexed } = await newSpace();
  await putAndIndex('one', { metadata: { level: ['open', 'closed'] } });
  const broken = { mimeType: 'application/pdf', content: Buffer.from('%PDF-1.7 nothing') };
  const failed = await putAndIndex('', { ...broken, metadata: CLOSED });
  assert.equal(failed.state, 'failed');
  assert.match(failed.failure ?? '', /damaged/);
  assert.deepEqual(failed.metadata, CLOSED);
  assert.deepEqual(await found(), [ONE, [], ONE]);
  assert.deepEqual((await documents.list(all, { state: 'failed' })).items, [failed]);
  assert.deepEqual(await documents.show(scopeOf('closed'), failed.id), failed);

  using held = holdExtraction();
  await put('two');
  assert.deepEqual(await found(), [ONE, [], []], 'the failed version still restricts the text');
  held.release();
  await untilIndexed(failed.id);
  assert.deepEqual(await found(), [TWO, TWO, []]);
});

test('a text that one request hides stays hidden if the next request arrives before the indexing ends', async () => {
  const { spaceId, put, putAndIndex, found, untilIndexed } = await newSpace();
  const { id } = await putAndIndex('one');
  using held = holdExtraction();
  await put('hidden', { metadata: CLOSED });
  for (let times = 0; times < 3; times += 1) await put('two');
  assert.deepEqual(await found(), [ONE, [], []]);
  held.release();
  await untilIndexed(id);
  assert.deepEqual(await found(), [TWO, TWO, []]);
  for (let wait = 0; wait < 200 && (await rowsOf(spaceId))[0] !== 1; wait += 1) await sleep(20);
  // The originals of the two earlier versions are kept.
  assert.deepEqual(await rowsOf(spaceId), [1, 3, 1]);
});

test('a document that is replaced before it was ever indexed has only its newest version', async () => {
  const { put, found, untilIndexed } = await newSpace();
  using held = holdExtraction();
  const first = await put('one');
  const second = await put('two', { metadata: CLOSED });
  assert.deepEqual([first.isNew, second.isNew], [true, false]);
  assert.equal(second.document.id, first.document.id);
  assert.deepEqual(await found(), [[], [], []]);
  held.release();
  await untilIndexed(first.document.id);
  assert.deepEqual(await found(), [TWO, [], TWO]);
});

test('omitted members are reset, and an unchanged file is not indexed again', async () => {
  const { put, putAndIndex, found } = await newSpace();
  const given = { title: 'The animal', url: 'https://zoo.example/tapir' };
  const first = await putAndIndex('one', given);
  assert.deepEqual([first.title, first.url], [given.title, given.url]);
  const same = await put('one', given);
  assert.deepEqual(same.document, first);
  const { document } = await put('one', { metadata: undefined });
  assert.deepEqual(
    [document.state, document.title, document.url, document.metadata],
    ['ready', 'tapir.txt', null, {}],
  );
  assert.deepEqual(await found(), [ONE, [], []]);
});

test('changing the metadata while a new version is indexed changes the new version and never widens access to the old version', async () => {
  const { put, putAndIndex, found, untilIndexed, all } = await newSpace();
  const { id } = await putAndIndex('one', { metadata: CLOSED });
  using held = holdExtraction();
  await put('two', { metadata: CLOSED });
  const change = { metadata: OPEN, title: 'New title' };
  const changed = await documents.change(all, id, change);
  assert.deepEqual([changed.metadata, changed.title], [OPEN, 'New title']);
  assert.deepEqual(await found(), [ONE, [], []]);
  held.release();
  const { title } = await untilIndexed(id);
  assert.equal(title, 'New title');
  assert.deepEqual(await found(), [TWO, TWO, []]);
});

test('deleting a document while a new version is indexed removes all versions', async () => {
  const { spaceId, put, putAndIndex, found, all } = await newSpace();
  const { id } = await putAndIndex('one');
  using held = holdExtraction();
  await put('two', { metadata: CLOSED });
  await put('three');
  await documents.remove(all, id);
  assert.deepEqual(await found(), [[], [], []]);
  held.release();
  for (let wait = 0; wait < 200 && (await rowsOf(spaceId))[1] !== 0; wait += 1) await sleep(20);
  assert.deepEqual(await rowsOf(spaceId), [0, 0, 0]);
  const again = await put('one');
  assert.ok(again.isNew);
  assert.notEqual(again.document.id, id);
});

test('concurrent requests with one key create one document with one version', async () => {
  const { put, found, untilIndexed } = await newSpace();
  const texts = Array.from({ length: 20 }, (_, index) => `number ${index}`);
  const results = await Promise.all(texts.map((text) => put(text)));
  assert.equal(results.filter(({ isNew }) => isNew).length, 1);
  const ids = new Set(results.map(({ document }) => document.id));
  assert.equal(ids.size, 1);
  for (const id of ids) await untilIndexed(id);
  const [all] = await found();
  assert.equal(all?.length, 1, String(all));
});

test('a document cannot be stored in a deleted space', async () => {
  const { spaceId, put } = await newSpace();
  await store.db.deleteFrom('spaces').where('id', '=', spaceId).execute();
  await assert.rejects(put('one'), { status: 403 });
});

test('publishing a version reads no other documents of the space', {
  skip: ON_POSTGRES,
}, async () => {
  const { spaceId, put, putAndIndex } = await newSpace();
  await putAndIndex('shy');
  using _extraction = holdExtraction();
  await put('bold');
  const { number } = await store.knowledge.db
    .selectFrom('documents')
    .where('space_id', '=', spaceId)
    .where('replaces', 'is not', null)
    .select('number')
    .executeTakeFirstOrThrow();
  const { db, queries } = recordQueries(store.knowledge.db);
  const rollback = new Error('rollback');
  const promoted = inTransaction(db, async (trx) => {
    await promote(trx, store.knowledge, spaceId, number);
    throw rollback;
  });
  await assert.rejects(promoted, rollback);
  assert.equal(queries.length, 5);
  assert.deepEqual(await largeReads(store.knowledge.db, queries, ['documents']), []);
});

test('reading, changing and deleting documents whose new versions are being indexed reads no other documents of the space', {
  skip: ON_POSTGRES,
}, async () => {
  const { put, untilIndexed, all } = await newSpace();
  const keys = ['1', '2', '3', '4'];
  const putAll = (text: string) => Promise.all(keys.map((key) => put(text, {}, key)));
  const ids = (await putAll('shy')).map(({ document }) => document.id);
  await Promise.all(ids.map(untilIndexed));
  using _extraction = holdExtraction();
  await putAll('bold');
  const { db, queries } = recordQueries(store.knowledge.db);
  const engine = { ...store.knowledge, db };
  const listed = await createDocumentRepository(engine).list(all, { after: null, count: 10 });
  assert.deepEqual(
    listed.map(({ state }) => state),
    keys.map(() => 'processing'),
  );
  await createMergeMetadata({ engine, clock: Date.now })(all, ids, CLOSED);
  for (const id of ids) await createDocumentChanges(engine).remove(all, id);
  assert.deepEqual(await largeReads(store.knowledge.db, queries, ['documents']), []);
});

test('the versions of a document are kept and removed without reading those of other documents', {
  skip: ON_POSTGRES,
}, async () => {
  const { db } = store.knowledge;
  const history = createVersionHistory(db);
  const writes = [...history.keepWrites('space', 'id', 1), ...history.removeWrites('space', 'id')];
  const queries = writes.map((write) => write.compile());
  assert.deepEqual(await largeReads(db, queries, ['documents', 'document_versions']), []);
});
