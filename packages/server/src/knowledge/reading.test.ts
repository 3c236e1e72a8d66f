import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { matchAll } from '@gatehouse/filter';
import { createExtractor } from '../adapters/extraction/index.ts';
import { addSpace, openStore, temporaryDirectory } from '../adapters/sqlite/open-store.suite.ts';
import { KnowledgeScope } from '../ports/knowledge-scope.ts';
import { createKnowledge } from './create-knowledge.ts';

const directory = temporaryDirectory();
after(() => directory[Symbol.dispose]());
const scope = new KnowledgeScope('space', matchAll);
const STOPS = 12;

async function open() {
  const store = await openStore(directory.path);
  const errors: unknown[] = [];
  const knowledge = createKnowledge({
    engine: store.knowledge,
    extractor: createExtractor(),
    embedder: null,
    clock: Date.now,
    onError: (error) => errors.push(error),
    onEmbeddingFailure: (error) => errors.push(error),
  });
  await knowledge.start();
  return {
    knowledge,
    errors,
    async [Symbol.asyncDispose]() {
      await knowledge[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

before(async () => {
  // Documents of a space that is not there are removed.
  const store = await openStore(directory.path);
  await addSpace(store, scope.spaceId);
  await store[Symbol.asyncDispose]();
});

test(`a document whose reading is stopped ${STOPS} times is read in the end`, async () => {
  let id = '';
  {
    await using service = await open();
    const text = 'A long text that is read for a while. '.repeat(60_000);
    const sent = {
      fileName: 'long.txt',
      mimeType: 'text/plain',
      bytes: Buffer.from(text),
      metadata: undefined,
      language: undefined,
    };
    id = (await service.knowledge.documents.add(scope, sent)).document.id;
  }
  for (let stop = 0; stop < STOPS; stop += 1) {
    await using service = await open();
    await sleep(stop * 5);
    const { state } = await service.knowledge.documents.show(scope, id);
    assert.equal(state, 'processing', `after ${stop} stops`);
  }
  await using service = await open();
  for (let wait = 0; wait < 600; wait += 1) {
    const { state, passages } = await service.knowledge.documents.show(scope, id);
    if (state !== 'processing') {
      assert.equal(state, 'ready');
      assert.ok(passages > 1000);
      assert.deepEqual(service.errors, []);
      return;
    }
    await sleep(50);
  }
  assert.fail('the document is not read within half a minute');
});
