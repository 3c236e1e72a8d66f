import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchAll } from '@gatehouse/filter';
import { metadataColumns } from '../../../knowledge/document.rules.ts';
import { createDocumentChanges } from '../../../knowledge/document-changes.repository.ts';
import { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import { addSpace, openStore, temporaryDirectory } from '../open-store.suite.ts';

const SPACE = 'space';
const MODEL = 'small';
const TIME = '2026-11-29T12:00:00.000Z';

test('a document that is read anew gets vectors anew, and none that were on their way before', async () => {
  using directory = temporaryDirectory();
  await using store = await openStore(directory.path);
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
  const numberNow = async () =>
    (await db.selectFrom('documents').select('number').executeTakeFirstOrThrow()).number;
  const read = async (text: string) => {
    const number = await numberNow();
    await index.keep({ spaceId: SPACE, number, fileName: '', title: null }, 0, [
      { heading: [], text },
    ]);
    await db.updateTable('documents').set({ state: 'ready', passages: 1 }).execute();
  };
  const texts = async () => (await vectors.next(MODEL, 0, 10)).map((piece) => piece.texts);
  const embedded = async () => {
    const pieces = await vectors.next(MODEL, 0, 10);
    return pieces.map(({ texts: own, ...piece }) => ({
      ...piece,
      vectors: own.map(() => Float32Array.of(1, 0)),
    }));
  };

  await read('old text');
  const onTheirWay = await embedded();
  await vectors.keep(MODEL, onTheirWay);
  assert.deepEqual(await texts(), []);
  const old = await numberNow();
  assert.ok(await changes.readAs(scope, old, { mimeType: 'text/html', time: TIME }, bytes));
  await read('new text');
  await vectors.keep(MODEL, onTheirWay);
  assert.deepEqual(await texts(), [['one\nnew text']]);
  assert.deepEqual(await index.remains(10), [{ spaceId: SPACE, number: old }]);
  while (!(await index.dropSome({ spaceId: SPACE, number: old })));
  await vectors.keep(MODEL, await embedded());
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
    parts.map(({ document }) => document),
    [await numberNow()],
  );
  assert.ok(!(await changes.readAs(scope, old, { mimeType: 'text/html', time: TIME }, bytes)));
});
