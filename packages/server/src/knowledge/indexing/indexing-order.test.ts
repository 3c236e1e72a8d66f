import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { matchAll } from '@gatehouse/filter';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/knowledge-scope.ts';
import { knowledgeOver } from '../knowledge.suite.ts';

const location = await newStoreLocation();
const store = await location.open();
const extracted: string[] = [];
/** Each extraction waits for this promise. */
let mayExtract = Promise.resolve();
const knowledge = knowledgeOver(store, {
  onExtract({ bytes }) {
    extracted.push(Buffer.from(bytes).toString());
    return mayExtract;
  },
  onError: (error) => assert.fail(String(error)),
});
after(async () => {
  await knowledge[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  location[Symbol.dispose]();
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
const untilExtracted = async (count: number) => {
  for (let wait = 0; extracted.length < count; wait += 1) {
    assert.ok(wait < 1000, 'nothing is extracted');
    await sleep(5);
  }
};

test('a document that is indexed again precedes newer documents', async () => {
  await add('old');
  await untilExtracted(1);
  const open = Promise.withResolvers<void>();
  mayExtract = open.promise;
  await add('new');
  await untilExtracted(2);
  await add('newer');
  await add('old', 'text/markdown');
  open.resolve();
  await untilExtracted(4);
  assert.deepEqual(extracted, ['old', 'new', 'old', 'newer']);
});
