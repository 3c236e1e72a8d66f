import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { matchAll } from '@gatehouse/filter';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/knowledge-scope.ts';
import { knowledgeOver } from '../knowledge.suite.ts';

const store = await openNewStore();
const extracted: string[] = [];
/** If the text has a promise, its extraction waits until the promise resolves. */
const gates = new Map<string, Promise<void>>();
const knowledge = knowledgeOver(store, {
  async onExtract({ read }) {
    const text = Buffer.concat(await Array.fromAsync(read())).toString();
    extracted.push(text);
    await gates.get(text);
  },
  processes: 1,
  onError: (error) => assert.fail(String(error)),
});
after(async () => {
  await knowledge[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

const scope = new KnowledgeScope('space', matchAll);
await addSpace(store, scope.spaceId);
await knowledge.start();
const add = (text: string, mimeType = 'text/plain', within = scope) =>
  knowledge.documents.add(within, {
    fileName: `${text}.txt`,
    mimeType,
    content: Buffer.from(text),
    metadata: {},
    language: undefined,
  });
const untilExtracted = async (count: number) => {
  for (let wait = 0; extracted.length < count; wait += 1) {
    assert.ok(wait < 1000, 'nothing is extracted');
    await sleep(5);
  }
};

test('a document that must be indexed again is indexed before newer documents', async () => {
  await add('old');
  await untilExtracted(1);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  gates.set('new', first.promise).set('new too', second.promise);
  // Two documents per process are indexed at the same time.
  await add('new');
  await untilExtracted(2);
  await add('new too');
  await untilExtracted(3);
  await add('newer');
  await add('old', 'text/markdown');
  first.resolve();
  await untilExtracted(5);
  second.resolve();
  assert.deepEqual(extracted, ['old', 'new', 'new too', 'old', 'newer']);
});

test('a document is started even if many started documents of other spaces precede it', async () => {
  const [a, b] = ['space a', 'space b'].map((id) => new KnowledgeScope(id, matchAll));
  assert.ok(a !== undefined && b !== undefined);
  const gate = Promise.withResolvers<void>();
  const before = extracted.length;
  for (const { spaceId } of [a, b]) await addSpace(store, spaceId);
  for (const [text, within] of [
    ['a1', a],
    ['a2', a],
    ['b1', b],
    ['b2', b],
  ] as const) {
    gates.set(text, gate.promise);
    await add(text, 'text/plain', within);
  }
  await untilExtracted(before + 4);
  assert.deepEqual(extracted.slice(before).toSorted(), ['a1', 'a2', 'b1', 'b2']);
  gate.resolve();
});
