import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { addDocument } from '../../storage/ports/knowledge-engine-under-test.suite.ts';
import { loadLargestSpaces } from './load-spaces.ts';

const store = await openNewStore();
after(() => store[Symbol.asyncDispose]());
const { knowledge: engine } = store;

for (const [spaceId, documents] of [
  ['large', 4],
  ['small', 1],
  ['medium', 3],
] as const) {
  await addSpace(store, spaceId);
  for (let count = 0; count < documents; count += 1)
    await addDocument(engine, { spaceId, id: `${count}`, metadata: {}, texts: ['amber'] });
}

test('spaces with enough documents are loaded, the largest one last', async () => {
  const { signal } = new AbortController();
  const loaded = await loadLargestSpaces({ engine, signal, minDocuments: 2 });
  assert.deepEqual(loaded, ['medium', 'large']);
});

test('loading stops when the service stops', async () => {
  const stopped = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(loadLargestSpaces({ engine, signal: stopped, minDocuments: 2 }), /stopped/);
});
