import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addSpace } from './add-space.suite.ts';
import type { EmbeddingProgress, KnowledgeEngine } from './knowledge-engine.ts';
import { addDocument, type OpenKnowledge } from './knowledge-engine-under-test.suite.ts';

const MODEL = 'small';
const SPACES = ['a', 'b', 'c'];
const MANY = 30;

/** Tests the order in which queued documents are embedded. */
export function embeddingOrderTests(open: OpenKnowledge): void {
  let opened: Awaited<ReturnType<OpenKnowledge>>;
  let engine: KnowledgeEngine;

  before(async () => {
    opened = await open();
    engine = opened.store.knowledge;
    for (const spaceId of SPACES) await addSpace(opened.store, spaceId);
    for (let at = 0; at < MANY; at += 1) await add('b', `many ${at}`);
    await add('a', 'one');
    await add('c', 'first');
    await add('c', 'second');
  });

  after(() => opened[Symbol.asyncDispose]());

  const add = (spaceId: string, id: string) =>
    addDocument(engine, { spaceId, id, fileName: `${id}.txt`, metadata: {}, texts: [id] });

  async function next(documents: number, progress?: EmbeddingProgress): Promise<string[]> {
    const chunks = await engine.vectors.next(MODEL, documents, progress);
    return chunks.map(({ spaceId, texts }) => `${spaceId}: ${texts.join().split('\n').at(-1)}`);
  }

  test('documents are embedded before the many earlier documents of another space', async () => {
    const queued = ['a: one', 'b: many 0', 'c: first', 'b: many 1', 'c: second', 'b: many 2'];
    assert.deepEqual(await next(6), queued);
  });

  test('the space after the last one comes first, even if there are more spaces than documents', async () => {
    const after = (lastSpace: string) => next(1, { lastSpace, skipped: new Map() });
    assert.deepEqual(await after('a'), ['b: many 0']);
    assert.deepEqual(await after('b'), ['c: first']);
    assert.deepEqual(await after('c'), ['a: one']);
    assert.deepEqual(await after('bb'), ['c: first'], 'the last space was deleted');
  });

  test('a space whose documents are skipped does not take the place of other spaces', async () => {
    const [one] = await engine.vectors.next(MODEL, 1);
    const [first] = await engine.vectors.next(MODEL, 1, { lastSpace: 'b', skipped: new Map() });
    assert.ok(one !== undefined && first !== undefined);
    const skipped = new Map([
      ['a', one.number],
      ['c', first.number],
    ]);
    assert.deepEqual(await next(1, { lastSpace: 'c', skipped }), ['b: many 0']);
    assert.deepEqual(await next(3, { lastSpace: 'c', skipped }), [
      'b: many 0',
      'c: second',
      'b: many 1',
    ]);
  });
}
