import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { matchAll } from '@gatehouse/filter';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/index.ts';
import { startKnowledge } from '../knowledge.suite.ts';

/** Extraction waits for this promise. */
let gate: Promise<void> = Promise.resolve();
const { documents, versions, search, store } = await startKnowledge(() => gate);

const OLD = 'The tapir is old.';
const NEW = 'The tapir is new.';

/** Adds a document with two versions, with or without a key, and returns functions for it. */
async function newDocument(key: string | null) {
  const spaceId = randomUUIDv7();
  await addSpace(store, spaceId);
  const scope = new KnowledgeScope(spaceId, matchAll);
  const sent = {
    fileName: 'tapir.txt',
    mimeType: 'text/plain' as const,
    content: Buffer.from(OLD),
    metadata: {},
    language: 'en',
  };
  const {
    document: { id },
  } = await (key === null ? documents.add(scope, sent) : documents.put(scope, key, sent));
  const untilIndexed = async () => {
    for (let wait = 0; wait < 600; wait += 1) {
      const document = await documents.show(scope, id);
      if (document.state !== 'processing') return document;
      await sleep(20);
    }
    return assert.fail('the document was not indexed within 12 seconds');
  };
  await untilIndexed();
  const document = await documents.change(scope, id, { title: 'Animals', metadata: { level: 1 } });
  return {
    document,
    indexAgain: () => documents.retry(scope, id, { force: true }),
    untilIndexed,
    found: async () => (await search(scope, { query: 'tapir' })).map(({ text }) => text),
    listVersions: () => versions.list(scope, id),
    /** Changes the stored file, as if it contained a text that only a newer parser finds. */
    async changeFile(text: string): Promise<void> {
      const { number } = await documents.original(scope, id);
      await store.knowledge.db
        .updateTable('document_parts')
        .set({ bytes: Buffer.from(text) })
        .where('space_id', '=', spaceId)
        .where('document', '=', number)
        .execute();
    },
    async readFile(): Promise<string> {
      const { parts } = await documents.original(scope, id);
      return Buffer.concat(await Array.fromAsync(parts)).toString();
    },
  };
}

test('a document with a key that is indexed again is found with its old text, and then with its new text', async () => {
  const { document, changeFile, indexAgain, untilIndexed, found, ...rest } = await newDocument('k');
  const stored = await rest.listVersions();
  await changeFile(NEW);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const { state } = await indexAgain();
  assert.equal(state, 'processing');
  assert.deepEqual(await found(), [OLD]);
  await indexAgain();
  held.resolve();
  assert.deepEqual(await untilIndexed(), document);
  assert.deepEqual(await found(), [NEW]);
  assert.equal(await rest.readFile(), NEW);
  assert.deepEqual(await rest.listVersions(), stored);
});

test('a document without a key that is indexed again is found when it is indexed', async () => {
  const { document, changeFile, indexAgain, untilIndexed, found, ...rest } =
    await newDocument(null);
  const stored = await rest.listVersions();
  await changeFile(NEW);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  await indexAgain();
  assert.deepEqual(await found(), []);
  held.resolve();
  assert.deepEqual(await untilIndexed(), document);
  assert.deepEqual(await found(), [NEW]);
  assert.equal(await rest.readFile(), NEW);
  assert.deepEqual(await rest.listVersions(), stored);
});

test('a document with a key keeps its text if its file cannot be read again, and can be indexed again later', async () => {
  const { document, changeFile, indexAgain, untilIndexed, found } = await newDocument('k');
  await changeFile('\u0000'.repeat(OLD.length));
  await indexAgain();
  const failed = await untilIndexed();
  assert.equal(failed.state, 'failed', JSON.stringify(failed));
  assert.deepEqual(await found(), [OLD]);
  await changeFile(NEW);
  await indexAgain();
  assert.deepEqual(await untilIndexed(), document);
  assert.deepEqual(await found(), [NEW]);
});
