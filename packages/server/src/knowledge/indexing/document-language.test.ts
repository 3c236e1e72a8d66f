import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from '@gatehouse/contract';
import { matchAll } from '@gatehouse/filter';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { KnowledgeScope } from '../../storage/ports/knowledge-scope.ts';
import { knowledgeOver } from '../knowledge.suite.ts';

const store = await openNewStore();
/** Called when the extraction of a document starts. The extraction waits for the returned promise. */
let onExtract: () => Promise<void> | undefined = () => undefined;
const knowledge = knowledgeOver(store, {
  onExtract: () => onExtract(),
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

const sent = (text: string, language?: string) => ({
  fileName: 'page.html',
  mimeType: 'text/html',
  content: Buffer.from(`<html lang="en"><body><p>${text}</p></body></html>`),
  metadata: {},
  language,
});

/** Runs `then` while the document that `first` stores is extracted. Returns the document when it is indexed. */
async function whileExtracted(
  first: () => Promise<{ readonly document: Document }>,
  then: () => Promise<unknown>,
): Promise<Document> {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  onExtract = () => {
    started.resolve();
    return gate.promise;
  };
  try {
    const { document } = await first();
    await started.promise;
    await then();
    gate.resolve();
    return await whenIndexed(document.id);
  } finally {
    gate.resolve();
    onExtract = () => undefined;
  }
}

async function whenIndexed(id: string): Promise<Document> {
  for (let wait = 0; wait < 600; wait += 1) {
    const document = await knowledge.documents.show(scope, id);
    if (document.state !== 'processing') return document;
    await sleep(50);
  }
  return assert.fail('the document was not indexed within 30 seconds');
}

test('a document without a language gets the language that its file declares', async () => {
  const { document } = await knowledge.documents.add(scope, sent('Opening hours'));
  assert.equal((await whenIndexed(document.id)).language, 'en');
});

test('a language that is set while a document is indexed is kept', async () => {
  const { state, language } = await whileExtracted(
    () => knowledge.documents.add(scope, sent('Delivery')),
    () => knowledge.documents.add(scope, sent('Delivery', 'de')),
  );
  assert.deepEqual([state, language], ['ready', 'de']);
});

test('a language that is changed while a document is indexed is kept', async () => {
  const { state, language } = await whileExtracted(
    () => knowledge.documents.add(scope, sent('Returns', 'fr')),
    () => knowledge.documents.add(scope, sent('Returns', 'de')),
  );
  assert.deepEqual([state, language], ['ready', 'de']);
});

test('a language that is sent again with a key while the document is indexed is kept', async () => {
  const { state, language } = await whileExtracted(
    () => knowledge.documents.put(scope, 'shop/payment', sent('Payment')),
    () => knowledge.documents.put(scope, 'shop/payment', sent('Payment', 'de')),
  );
  assert.deepEqual([state, language], ['ready', 'de']);
});
