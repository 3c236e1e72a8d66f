import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { matchAll } from '@gatehouse/filter';
import { createExtractor } from '../adapters/extraction/index.ts';
import { addSpace, openStore, temporaryDirectory } from '../adapters/sqlite/open-store.suite.ts';
import { KnowledgeScope } from '../ports/knowledge-scope.ts';
import { createReaders } from '../readers/index.ts';
import { createKnowledge } from './create-knowledge.ts';

const directory = temporaryDirectory();
const store = await openStore(directory.path);
const extractor = createExtractor();
const read: string[] = [];
/** What the reading of each document waits for. */
let mayRead = Promise.resolve();
const knowledge = createKnowledge({
  engine: store.knowledge,
  writeTogether: store.writeTogether,
  events: store.events,
  leases: store.leases,
  readers: createReaders({ ...store, store: store.events, clock: Date.now }),
  countEvent: () => {},
  extractor: {
    async extract(request) {
      read.push(Buffer.from(request.bytes).toString());
      await mayRead;
      return extractor.extract(request);
    },
    close: () => extractor.close(),
  },
  embedder: null,
  clock: Date.now,
  onError: (error) => assert.fail(String(error)),
  onEmbeddingFailure: () => {},
});
after(async () => {
  await knowledge[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

const scope = new KnowledgeScope('space', matchAll);
await addSpace(store, scope.spaceId);
await knowledge.start();
const add = (text: string, mimeType = 'text/plain') =>
  knowledge.documents.add(scope, {
    fileName: `${text}.txt`,
    mimeType,
    bytes: Buffer.from(text),
    metadata: {},
    language: undefined,
  });
const untilReading = async (count: number) => {
  for (let wait = 0; read.length < count; wait += 1) {
    assert.ok(wait < 1000, 'nothing is read');
    await sleep(5);
  }
};

test('a document that was there before and is read anew goes before new ones', async () => {
  await add('old');
  await untilReading(1);
  const open = Promise.withResolvers<void>();
  mayRead = open.promise;
  await add('new');
  await untilReading(2);
  await add('newer');
  await add('old', 'text/markdown');
  open.resolve();
  await untilReading(4);
  assert.deepEqual(read, ['old', 'new', 'old', 'newer']);
});
