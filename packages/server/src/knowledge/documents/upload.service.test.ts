import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/index.ts';
import { createDocuments, type Documents } from './document.service.ts';
import type { SentDocument } from './sent-document.ts';

const store = await openNewStore();
after(() => store[Symbol.asyncDispose]());

const engine = store.knowledge;
const UPLOADED_AT = Date.UTC(2026, 10, 22, 9);

/** Creates the service for a new space. No indexer runs, so an upload stays in its initial state. */
async function newDocuments() {
  const scope = new KnowledgeScope(randomUUIDv7(), matchAll);
  await addSpace(store, scope.spaceId);
  let time = UPLOADED_AT;
  let notified = 0;
  const documents = createDocuments({
    engine,
    clock: () => time,
    onWork() {
      notified += 1;
    },
  });
  return {
    scope,
    documents,
    notified: () => notified,
    add: (sent: Partial<SentDocument> = {}) => documents.add(scope, sentOf(sent)),
    advanceMinute() {
      time += 60_000;
      return new Date(time).toISOString();
    },
    async end(state: 'ready' | 'failed') {
      const failure = state === 'failed' ? 'It is damaged.' : null;
      await engine.db
        .updateTable('documents')
        .set({ state, failure, attempts: 3 })
        .where('space_id', '=', scope.spaceId)
        .execute();
    },
  };
}

function sentOf(sent: Partial<SentDocument>): SentDocument {
  return {
    fileName: 'a.txt',
    mimeType: 'text/plain',
    content: Buffer.from('The text.'),
    metadata: undefined,
    language: undefined,
    ...sent,
  };
}

async function originalOf(documents: Documents, scope: KnowledgeScope, id: string) {
  const { parts } = await documents.original(scope, id);
  return Buffer.concat(await Array.fromAsync(parts));
}

test('an upload stores the whole file and queues it for the indexer', async () => {
  const { add, documents, scope, notified } = await newDocuments();
  const bytes = Buffer.alloc(2_500_000, 'abc');
  const metadata = { team: 'a', tags: ['x', 'y'] };
  const { document, isNew } = await add({ content: bytes, metadata, language: 'de' });
  const time = new Date(UPLOADED_AT).toISOString();
  assert.deepEqual(document, {
    id: document.id,
    spaceId: scope.spaceId,
    key: null,
    fileName: 'a.txt',
    mimeType: 'text/plain',
    language: 'de',
    title: 'a.txt',
    givenTitle: null,
    url: null,
    bytes: bytes.length,
    state: 'processing',
    failure: null,
    passages: 0,
    metadata,
    createdAt: time,
    updatedAt: time,
  });
  assert.deepEqual([isNew, notified()], [true, 1]);
  assert.ok(bytes.equals(await originalOf(documents, scope, document.id)));
});

test('a repeated upload returns the same document, and an upload without metadata keeps the metadata', async () => {
  const { add, advanceMinute, notified } = await newDocuments();
  const { document } = await add({ metadata: { team: 'a' }, language: 'de' });
  advanceMinute();
  assert.deepEqual(await add(), { document, isNew: false });
  assert.deepEqual(await add({ metadata: { team: 'a' }, language: 'de' }), {
    document,
    isNew: false,
  });
  assert.equal(notified(), 1);
});

test('a repeated upload with other metadata or language changes them without another extraction', async () => {
  const { add, end, advanceMinute, notified, scope, documents } = await newDocuments();
  await add({ metadata: { team: 'a' } });
  await end('ready');
  const updatedAt = advanceMinute();
  const { document } = await add({ metadata: { team: 'b' }, language: 'fr' });
  assert.deepEqual(
    [document.state, document.metadata, document.language, document.updatedAt],
    ['ready', { team: 'b' }, 'fr', updatedAt],
  );
  assert.equal(notified(), 1);
  const { items } = await documents.list(scope, {});
  assert.equal(items.length, 1);
});

test('an upload with another name or other bytes creates another document', async () => {
  const { add } = await newDocuments();
  const ids = [
    await add(),
    await add({ fileName: 'b.txt' }),
    await add({ content: Buffer.from('Other text.') }),
  ].map(({ document, isNew }) => [document.id, isNew]);
  assert.equal(new Set(ids.map(([id]) => id)).size, 3);
  assert.ok(ids.every(([, isNew]) => isNew));
});

test('a repeated upload in another format is extracted again under the same ID', async () => {
  const { add, end, notified, documents, scope } = await newDocuments();
  const { document } = await add({ metadata: { team: 'a' } });
  await end('ready');
  const second = await add({ mimeType: 'text/markdown' });
  assert.deepEqual(
    [second.isNew, second.document.id, second.document.mimeType, second.document.state],
    [false, document.id, 'text/markdown', 'processing'],
  );
  assert.deepEqual(second.document.metadata, { team: 'a' });
  assert.equal(notified(), 2);
  assert.equal((await originalOf(documents, scope, document.id)).toString(), 'The text.');
});

test('a repeated upload of a failed document is extracted again', async () => {
  const { add, end, notified } = await newDocuments();
  await add();
  await end('failed');
  const { document, isNew } = await add();
  assert.deepEqual([isNew, document.state, document.failure], [false, 'processing', null]);
  assert.equal(notified(), 2);
});

test('an upload never reuses a document that is synchronised by events', async () => {
  const { add, scope } = await newDocuments();
  const { document } = await add();
  await engine.db
    .updateTable('documents')
    .set({ subject: 'pages/1' })
    .where('space_id', '=', scope.spaceId)
    .execute();
  const second = await add();
  assert.equal(second.isNew, true);
  assert.notEqual(second.document.id, document.id);
});

test('concurrent uploads of the same file create one document', async () => {
  const { add, documents, scope } = await newDocuments();
  const answers = await Promise.all(Array.from({ length: 8 }, () => add()));
  assert.equal(answers.filter(({ isNew }) => isNew).length, 1);
  assert.equal(new Set(answers.map(({ document }) => document.id)).size, 1);
  assert.equal((await documents.list(scope, {})).items.length, 1);
});

test('uploading a file while it is being deleted leaves one document', async () => {
  const { add, documents, scope } = await newDocuments();
  const { document } = await add({ metadata: { round: 0 } });
  const answers = await Promise.all([
    documents.remove(scope, document.id),
    ...Array.from({ length: 4 }, (_, round) => add({ metadata: { round: round + 1 } })),
  ]);
  assert.equal(answers.length, 5);
  await add();
  assert.equal((await documents.list(scope, {})).items.length, 1);
});

test('an upload does not reuse the same file of another space', async () => {
  const { add, documents, scope } = await newDocuments();
  const { document } = await add();
  const other = await newDocuments();
  const { document: own } = await other.add();
  assert.notEqual(own.id, document.id);
  await assert.rejects(other.documents.show(other.scope, document.id), { status: 404 });
  assert.equal((await documents.show(scope, document.id)).id, document.id);
});

test('an upload into a deleted space is forbidden', async () => {
  const { add, scope, notified } = await newDocuments();
  await store.db.deleteFrom('spaces').where('id', '=', scope.spaceId).execute();
  await assert.rejects(add(), { status: 403, code: 'access.forbidden' });
  assert.equal(notified(), 0);
});
