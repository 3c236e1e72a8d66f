import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from '@gatehouse/contract';
import { matchAll } from '@gatehouse/filter';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/knowledge-scope.ts';
import type { KnowledgeModule } from '../create-knowledge.ts';
import { knowledgeOver } from '../knowledge.suite.ts';

const location = await newStoreLocation();
after(() => location[Symbol.dispose]());
const scope = new KnowledgeScope('space', matchAll);
const STOPS = 12;

async function open() {
  const errors: unknown[] = [];
  // A job can fail to start if the store is closed first.
  const store = await location.open((error) => errors.push(error));
  const started = Promise.withResolvers<void>();
  const knowledge = knowledgeOver(store, {
    onExtract: () => started.resolve(),
    onError: (error) => errors.push(error),
  });
  await knowledge.start();
  return {
    store,
    knowledge,
    errors,
    started: started.promise,
    async [Symbol.asyncDispose]() {
      await knowledge[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

before(async () => {
  // The indexer removes documents of a missing space.
  const store = await location.open();
  await addSpace(store, scope.spaceId);
  await store[Symbol.asyncDispose]();
});

/** Adds a document that takes a long time to extract. */
function addLong(knowledge: KnowledgeModule, fileName: string) {
  return knowledge.documents.add(scope, {
    fileName,
    mimeType: 'text/plain',
    content: Buffer.from('A long text that takes some time. '.repeat(60_000)),
    metadata: undefined,
    language: undefined,
  });
}

async function whenIndexed({ documents }: KnowledgeModule, id: string): Promise<Document> {
  for (let wait = 0; wait < 600; wait += 1) {
    const document = await documents.show(scope, id);
    if (document.state !== 'processing') return document;
    await sleep(50, null, { ref: false });
  }
  return assert.fail('the document was not indexed within 30 seconds');
}

test(`a document is indexed after ${STOPS} interruptions`, async () => {
  let id = '';
  {
    await using service = await open();
    id = (await addLong(service.knowledge, 'long.txt')).document.id;
  }
  for (let stop = 0; stop < STOPS; stop += 1) {
    await using service = await open();
    await Promise.race([service.started, whenIndexed(service.knowledge, id)]);
    const { state } = await service.knowledge.documents.show(scope, id);
    assert.equal(state, 'processing', `after ${stop} stops`);
  }
  await using service = await open();
  const { state, passages } = await whenIndexed(service.knowledge, id);
  assert.equal(state, 'ready');
  assert.ok(passages > 1000);
  assert.deepEqual(service.errors, []);
});

test('all passages of a document are removed after too many failed attempts', async () => {
  let id = '';
  {
    await using service = await open();
    id = (await addLong(service.knowledge, 'deadly.txt')).document.id;
    await whenIndexed(service.knowledge, id);
  }
  {
    // Simulates ten attempts that ended the process. No indexer runs, because it would start another attempt at once.
    await using store = await location.open();
    await store.knowledge.db
      .updateTable('documents')
      .set({ state: 'processing', attempts: 10 })
      .where('id', '=', id)
      .execute();
  }
  await using service = await open();
  const { state, failure } = await whenIndexed(service.knowledge, id);
  assert.equal(state, 'failed');
  assert.match(failure ?? '', /after several attempts/);
  const { db, index } = service.store.knowledge;
  const { number } = await db
    .selectFrom('documents')
    .where('id', '=', id)
    .select('number')
    .executeTakeFirstOrThrow();
  assert.ok(await index.deleteSome({ spaceId: scope.spaceId, number }), 'no passages remain');
});

test('closing the indexer settles even if the store rejects writes', async () => {
  const { store, knowledge, started, errors } = await open();
  await addLong(knowledge, 'unwritable.txt');
  await started;
  await store[Symbol.asyncDispose]();
  await knowledge[Symbol.asyncDispose]();
  assert.ok(errors.length > 0);
});
