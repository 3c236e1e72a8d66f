import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { matchAll } from '@gatehouse/filter';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/knowledge-scope.ts';
import { knowledgeOver } from '../knowledge.suite.ts';

const place = await newStoreLocation();
const store = await place.open();
const read: string[] = [];
/** What the reading of each document waits for. */
let mayRead = Promise.resolve();
const knowledge = knowledgeOver(store, {
  onRead({ bytes }) {
    read.push(Buffer.from(bytes).toString());
    return mayRead;
  },
  onError: (error) => assert.fail(String(error)),
});
after(async () => {
  await knowledge[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  place[Symbol.dispose]();
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
