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
  const store = await location.open();
  const started = Promise.withResolvers<void>();
  const errors: unknown[] = [];
  const knowledge = knowledgeOver(store, {
    onExtract: () => started.resolve(),
    onError: (error) => errors.push(error),
  });
  await knowledge.start();
  return {
    store,
    knowledge,
    errors,
    /** Resolves when an extraction starts. */
    started: started.promise,
    async [Symbol.asyncDispose]() {
      await knowledge[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}

before(async () => {
  // Documents of a space that is not there are removed.
  const store = await location.open();
  await addSpace(store, scope.spaceId);
  await store[Symbol.asyncDispose]();
});

/** Adds a document whose extraction takes a while. */
function addLong(knowledge: KnowledgeModule, fileName: string) {
  return knowledge.documents.add(scope, {
    fileName,
    mimeType: 'text/plain',
    bytes: Buffer.from('A long text that is read for a while. '.repeat(60_000)),
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
  return assert.fail('the document is not indexed within half a minute');
}

test(`a document whose indexing is stopped ${STOPS} times is indexed in the end`, async () => {
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

test('a document that fails after too many attempts leaves no passages', async () => {
  let id = '';
  {
    await using service = await open();
    id = (await addLong(service.knowledge, 'deadly.txt')).document.id;
    await whenIndexed(service.knowledge, id);
    // Simulates attempts that each ended the process.
    await service.store.knowledge.db
      .updateTable('documents')
      .set({ state: 'processing', attempts: 10 })
      .where('id', '=', id)
      .execute();
  }
  await using service = await open();
  const { state, failure } = await whenIndexed(service.knowledge, id);
  assert.equal(state, 'failed');
  assert.match(failure ?? '', /several times over/);
  const { db, index } = service.store.knowledge;
  const { number } = await db
    .selectFrom('documents')
    .where('id', '=', id)
    .select('number')
    .executeTakeFirstOrThrow();
  assert.ok(await index.dropSome({ spaceId: scope.spaceId, number }), 'there is nothing to drop');
});

test('closing settles although the store accepts no writes', async () => {
  const { store, knowledge, started, errors } = await open();
  await addLong(knowledge, 'unwritable.txt');
  await started;
  await store[Symbol.asyncDispose]();
  await knowledge[Symbol.asyncDispose]();
  assert.ok(errors.length > 0);
});
