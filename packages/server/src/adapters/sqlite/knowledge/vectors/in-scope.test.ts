import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { evaluate, type Filter, type FilterRecord, matchAll, parse } from '@gatehouse/filter';
import { randomDocuments, randomFilter } from '../../../../../tests/support/restricted.ts';
import { seeded } from '../../../../../tests/support/seeded.ts';
import { metadataColumns, valuesOf } from '../../../../knowledge/document.rules.ts';
import { createDocumentChanges } from '../../../../knowledge/document-changes.repository.ts';
import { KnowledgeScope } from '../../../../ports/knowledge-scope.ts';
import { nearness, toBytes } from '../../../vectors/quantise.ts';
import { addSpace, openStore, temporaryDirectory } from '../../open-store.suite.ts';

/** More than are looked up one by one, so that a wide filter reads through the space and a narrow one does not. */
const DOCUMENTS = 2600;
const SPACES = ['0199f3a2-0000-7000-8000-00000000000a', '0199f3a2-0000-7000-8000-00000000000b'];
const MODEL = 'small';
const DIMENSIONS = 64;
const LIMIT = 10;

const random = seeded(Number(process.env['GATEHOUSE_TEST_SEED'] ?? 20_261_121));
const randomVector = () => Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
const directory = temporaryDirectory();
const store = await openStore(directory.path);
after(async () => {
  await store[Symbol.asyncDispose]();
  directory[Symbol.dispose]();
});

interface Stored {
  readonly spaceId: string;
  readonly record: FilterRecord;
  readonly bytes: Int8Array;
}

/** By the id, which is the name, too. */
const stored = new Map<string, Stored>();

before(async () => {
  const engine = store.knowledge;
  const documents = createDocumentChanges(engine);
  for (const spaceId of SPACES) await addSpace(store, spaceId);
  const createdAt = '2026-11-21T12:00:00.000Z';
  await Promise.all(
    randomDocuments(random, DOCUMENTS).map(async ({ marker, fileName, metadata }, index) => {
      const spaceId = SPACES[index % 2] ?? '';
      const row = {
        id: marker,
        space_id: spaceId,
        file_name: fileName,
        file_name_folded: fileName.toLowerCase(),
        mime_type: 'text/plain',
        language: null,
        size: 1,
        sha256: marker,
        ...metadataColumns(metadata),
        created_at: createdAt,
        updated_at: createdAt,
      };
      await documents.insert(row, new Uint8Array(1), valuesOf(metadata));
      const record = {
        metadata,
        fileName,
        mimeType: 'text/plain',
        language: null,
        createdAt,
        updatedAt: createdAt,
      };
      stored.set(marker, { spaceId, record, bytes: new Int8Array() });
    }),
  );
  const rows = await engine.db
    .selectFrom('documents')
    .select(['number', 'id', 'file_name as fileName'])
    .execute();
  for (const { number, id, fileName } of rows) {
    const passages = [{ heading: [], text: id }];
    await engine.index.keep(
      { spaceId: stored.get(id)?.spaceId ?? '', number, fileName, title: null },
      0,
      passages,
    );
    const vector = randomVector();
    const known = stored.get(id);
    assert.ok(known);
    stored.set(id, { ...known, bytes: toBytes(vector) });
    vectors.set(number, vector);
  }
  await engine.db.updateTable('documents').set({ state: 'ready', passages: 1 }).execute();
  for (;;) {
    const pieces = await engine.vectors.next(MODEL, 0, 16);
    if (pieces.length === 0) break;
    const embedded = pieces.map(({ texts, ...piece }) => ({
      ...piece,
      vectors: texts.map(() => vectors.get(piece.number) ?? assert.fail()),
    }));
    await engine.vectors.keep(MODEL, embedded);
  }
});

const vectors = new Map<number, Float32Array>();

function nearestOf(query: Float32Array, spaceId: string, filter: Filter): string[] {
  return [...stored]
    .filter(([, one]) => one.spaceId === spaceId && evaluate(filter, one.record))
    .map(([id, { bytes }]) => ({ id, score: nearness(query, bytes, 0) }))
    .toSorted((a, b) => b.score - a.score)
    .slice(0, LIMIT)
    .map(({ id }) => id);
}

test('the nearest passages of wide and of narrow scopes are those that the filter lets through', async (t) => {
  const filters: Filter[] = [matchAll];
  for (let made = 0; made < 60; made++) {
    const parsed = parse(randomFilter(random));
    assert.ok(parsed.ok);
    filters.push(parsed.filter);
  }
  let [wanted, found] = [0, 0];
  for (const [index, filter] of filters.entries()) {
    const spaceId = SPACES[index % 2] ?? '';
    const scope = new KnowledgeScope(spaceId, filter);
    const vector = randomVector();
    const hits = await store.knowledge.nearest(scope, { model: MODEL, vector }, LIMIT);
    for (const { documentId } of hits) {
      const hit = stored.get(documentId);
      assert.ok(hit?.spaceId === spaceId && evaluate(filter, hit.record), documentId);
    }
    const expected = nearestOf(vector, spaceId, filter);
    assert.equal(hits.length, expected.length);
    const ids = hits.map(({ documentId }) => documentId);
    wanted += expected.length;
    found += expected.filter((id) => ids.includes(id)).length;
  }
  t.diagnostic(`${found} of ${wanted} nearest`);
  assert.ok(found > wanted * 0.9);
});

test('vectors of another model or with other dimensions are not compared', async () => {
  const scope = new KnowledgeScope(SPACES[0] ?? '', matchAll);
  const { knowledge } = store;
  const vector = randomVector();
  assert.deepEqual(await knowledge.nearest(scope, { model: 'other', vector }, LIMIT), []);
  const longer = new Float32Array(DIMENSIONS + 1).fill(1);
  assert.deepEqual(await knowledge.nearest(scope, { model: MODEL, vector: longer }, LIMIT), []);
});

test('whoever asks without a scope is refused', async () => {
  const forged = { spaceId: SPACES[0], filter: matchAll } as unknown as KnowledgeScope;
  const query = { model: MODEL, vector: randomVector() };
  await assert.rejects(store.knowledge.nearest(forged, query, LIMIT), /without a scope/);
});
