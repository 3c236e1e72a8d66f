import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { metadataColumns } from '../../knowledge/documents/document.rules.ts';
import { createDocumentChanges } from '../../knowledge/documents/document-changes.repository.ts';
import { readQuery } from '../../lib/text/index.ts';
import { addSpace } from './add-space.suite.ts';
import { addDocument, type OpenKnowledge, TIME } from './knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from './knowledge-scope.ts';
import { inTransaction } from './transactions.ts';

const SPACE = 'space';
const MODEL = 'small';

export function renumberTests(open: OpenKnowledge): void {
  test('document numbers are unique, and an unknown space gets no number', async () => {
    await using opened = await open();
    const { db, index } = opened.store.knowledge;
    const next = (spaceId: string) => inTransaction(db, (trx) => index.nextNumber(trx, spaceId));
    await addSpace(opened.store, 'first');
    await addSpace(opened.store, 'second');
    const numbers: (number | null)[] = [];
    for (const spaceId of ['first', 'second', 'first', 'second', 'first'])
      numbers.push(await next(spaceId));
    assert.equal(new Set(numbers).size, 5);
    assert.ok(numbers.every(Number.isSafeInteger));
    assert.equal(await next('third'), null, 'an unknown space got a number');
  });

  test('concurrent calls outside a transaction assign the first numbers of a space', async () => {
    await using opened = await open();
    const { db, index } = opened.store.knowledge;
    await addSpace(opened.store, 'new');
    const numbers = await Promise.all(Array.from({ length: 8 }, () => index.nextNumber(db, 'new')));
    assert.equal(new Set(numbers).size, 8);
    assert.ok(numbers.every(Number.isSafeInteger), `${numbers}`);
  });

  test('no document remains if its space is deleted while documents are inserted', async () => {
    await using opened = await open();
    const { store } = opened;
    const { db, index } = store.knowledge;
    await addSpace(store, 'leaving');
    const stored = Array.from({ length: 20 }, (_, count) =>
      addDocument(store.knowledge, {
        spaceId: 'leaving',
        id: `leaving ${count}`,
        metadata: {},
        texts: ['amber'],
      }).catch(() => null),
    );
    await stored[0];
    await store.db.deleteFrom('spaces').where('id', '=', 'leaving').execute();
    while (!(await index.deleteSomeOfSpace('leaving')));
    await Promise.all(stored);
    assert.deepEqual(await db.selectFrom('documents').select('id').execute(), []);
  });

  test('deletes the documents of a deleted space in steps and keeps the documents of other spaces', async () => {
    await using opened = await open();
    const { store } = opened;
    const { db, index } = store.knowledge;
    for (const spaceId of ['gone', 'stays']) {
      await addSpace(store, spaceId);
      for (let count = 0; count < 3; count += 1)
        await addDocument(store.knowledge, {
          spaceId,
          id: `${spaceId} ${count}`,
          metadata: { level: count },
          texts: ['amber', 'beacon'],
        });
    }
    await store.db.deleteFrom('spaces').where('id', '=', 'gone').execute();
    assert.deepEqual(await index.orphanedSpaces(), ['gone']);
    while (!(await index.deleteSomeOfSpace('gone')));
    assert.deepEqual(await index.orphanedSpaces(), []);
    const pending = await index.pendingCleanups(10, Date.now());
    assert.deepEqual(
      pending.map(({ spaceId }) => spaceId),
      ['gone', 'gone', 'gone'],
    );
    for (const document of pending) while (!(await index.deleteSome(document)));
    assert.deepEqual(await index.pendingCleanups(10, Date.now()), []);
    for (const table of ['documents', 'document_values', 'document_parts'] as const) {
      const rows = await db.selectFrom(table).select('space_id').execute();
      assert.deepEqual(
        rows.map((row) => row.space_id),
        ['stays', 'stays', 'stays'],
        table,
      );
    }
    const scope = new KnowledgeScope('stays', matchAll);
    assert.equal((await store.knowledge.search(scope, readQuery('amber '), 10)).length, 3);
  });

  test('a reindexed document gets new vectors, and pending vectors for its old number are discarded', async () => {
    await using opened = await open();
    const { store } = opened;
    await addSpace(store, SPACE);
    const { db, index, vectors } = store.knowledge;
    const changes = createDocumentChanges(store.knowledge);
    const scope = new KnowledgeScope(SPACE, matchAll);
    const bytes = Buffer.from('bytes');
    await changes.insert(
      {
        id: 'one',
        space_id: SPACE,
        file_name: 'one',
        file_name_folded: 'one',
        mime_type: 'text/plain',
        language: null,
        size: bytes.length,
        sha256: 'one',
        ...metadataColumns({}),
        created_at: TIME,
        updated_at: TIME,
      },
      bytes,
      [],
    );
    const currentNumber = async () =>
      (await db.selectFrom('documents').select('number').executeTakeFirstOrThrow()).number;
    const indexText = async (text: string) => {
      const number = await currentNumber();
      await index.insert({ spaceId: SPACE, number, fileName: '', title: null }, 0, [
        { heading: [], text },
      ]);
      await db
        .updateTable('documents')
        .set({ state: 'ready', passages: 1 })
        .where('space_id', '=', SPACE)
        .execute();
    };
    const texts = async () => (await vectors.next(MODEL, 10)).map((chunk) => chunk.texts);
    const embedded = async () => {
      const chunks = await vectors.next(MODEL, 10);
      return chunks.map(({ texts: own, ...chunk }) => ({
        ...chunk,
        vectors: own.map(() => Float32Array.of(1, 0)),
      }));
    };

    await indexText('old text');
    const pending = await embedded();
    await vectors.insert(MODEL, pending);
    assert.deepEqual(await texts(), []);
    const old = await currentNumber();
    const document = { id: 'one', number: old };
    const format = { mimeType: 'text/html', time: TIME };
    assert.ok(await changes.changeFormat(scope, document, format, bytes));
    await indexText('new text');
    await vectors.insert(MODEL, pending);
    assert.deepEqual(await texts(), [['one\nnew text']]);
    assert.deepEqual(await index.pendingCleanups(10, Date.now()), [
      { spaceId: SPACE, number: old },
    ]);
    while (!(await index.deleteSome({ spaceId: SPACE, number: old })));
    await vectors.insert(MODEL, await embedded());
    assert.deepEqual(await texts(), []);
    const nearest = await store.knowledge.nearest(
      scope,
      { model: MODEL, vector: Float32Array.of(1, 0) },
      10,
    );
    assert.deepEqual(
      nearest.map(({ text }) => text),
      ['new text'],
    );
    const parts = await db.selectFrom('document_parts').select('document').execute();
    assert.deepEqual(
      parts.map(({ document: number }) => number).toSorted(),
      [old, await currentNumber()].toSorted(),
      'the original of the earlier version is kept',
    );
    assert.ok(!(await changes.changeFormat(scope, document, format, bytes)));
  });
}
