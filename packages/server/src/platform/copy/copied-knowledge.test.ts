import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { readQuery } from '../../lib/text/index.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { EmbeddedChunk, KnowledgeEngine } from '../../storage/ports/knowledge-engine.ts';
import { addDocument } from '../../storage/ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../storage/ports/knowledge-scope.ts';
import type { Store } from '../../storage/ports/store.ts';
import { newEmptyDatabase } from '../../storage/postgres/database.suite.ts';
import { openStore as openPostgres } from '../../storage/postgres/open-store.suite.ts';
import {
  openStore as openSqlite,
  temporaryDirectory,
} from '../../storage/sqlite/open-store.suite.ts';
import { copyFrom } from './copy.suite.ts';

const MODEL = 'small';
const DIMENSIONS = 64;
const SPACES = ['first', 'second'];
const DOCUMENTS = 40;

function vectorOf(seed: number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, (_, at) =>
    Math.sin(seed * 31 + at * (seed + 1)),
  );
}

async function embedAll(engine: KnowledgeEngine): Promise<void> {
  for (;;) {
    const pieces = await engine.vectors.next(MODEL, 16);
    if (pieces.length === 0) return;
    const embedded = pieces.map(
      ({ texts, ...piece }): EmbeddedChunk => ({
        ...piece,
        vectors: texts.map((_, at) => vectorOf((piece.number % 1000) * 100 + piece.first + at)),
      }),
    );
    await engine.vectors.insert(MODEL, embedded);
  }
}

async function fill(store: Store): Promise<void> {
  const { knowledge } = store;
  for (const spaceId of SPACES) {
    await addSpace(store, spaceId);
    for (let index = 0; index < DOCUMENTS; index += 1) {
      const texts = Array.from(
        { length: 1 + (index % 40) },
        (_, at) => `Amber ${index} beacon ${at}, “Straße” and don't.`,
      );
      const level = index % 2 === 0 ? 'open' : 'closed';
      const metadata = {
        level,
        acl: [{ group: level }, { group: 'ALL', rank: index + 0.1 }],
        size: index + 0.5,
        a: [1, 'ß'],
      };
      const id = `${spaceId} ${index}`;
      await addDocument(knowledge, { spaceId, id, fileName: `${id}.txt`, metadata, texts });
    }
  }
  await embedAll(knowledge);
}

/**
 * Returns the search results of all spaces. If `ranked` is false, the order of the results is ignored, because the order differs
 * between engines.
 */
async function found({ knowledge }: Store, { ranked }: { ranked: boolean }): Promise<unknown> {
  const filter = filterOf({
    level: { eq: 'open' },
    size: { gt: 3 },
    'acl.group': { ne: 'closed', like: 'all' },
    'acl.rank': { gt: 3 },
  });
  const results: unknown[] = [];
  for (const spaceId of SPACES) {
    const scope = new KnowledgeScope(spaceId, filter);
    for (const query of ['"amber 12"', '"beacon 7"', '"Amber 38 beacon"']) {
      const hits = await knowledge.search(scope, readQuery(`${query} `), 200);
      const names = hits.map(({ documentId, title, url, position, text }) => [
        documentId,
        title,
        url,
        position,
        text,
      ]);
      results.push(ranked ? names : names.toSorted());
    }
    const near = await knowledge.nearest(scope, { model: MODEL, vector: vectorOf(1205) }, 10);
    results.push(near.map(({ documentId, position, score }) => [documentId, position, score]));
    results.push(await knowledge.passages(scope, `${spaceId} 38`, 3, 50));
  }
  return results;
}

test('a copy to PostgreSQL and back preserves the results of keyword and vector searches with filters', {
  skip: postgresIsMissing,
}, async () => {
  using directory = temporaryDirectory();
  using back = temporaryDirectory();
  const url = await newEmptyDatabase();
  let all: unknown;
  let ranked: unknown;
  {
    await using store = await openSqlite(directory.path);
    await fill(store);
    all = await found(store, { ranked: false });
    ranked = await found(store, { ranked: true });
    assert.ok(JSON.stringify(all).length > 3000);
  }
  await copyFrom(directory.path, url);
  {
    await using store = await openPostgres(url);
    assert.deepEqual(await found(store, { ranked: false }), all);
    assert.deepEqual(await store.knowledge.vectors.next(MODEL, 16), []);
  }
  await copyFrom(url, back.path);
  await using store = await openSqlite(back.path);
  assert.deepEqual(await found(store, { ranked: true }), ranked);
  assert.deepEqual(await store.knowledge.vectors.next(MODEL, 16), []);
});

test('a copied document whose indexing was interrupted is indexed again, and no document number is reused', {
  skip: postgresIsMissing,
}, async () => {
  using directory = temporaryDirectory();
  using back = temporaryDirectory();
  const url = await newEmptyDatabase();
  const numbers = new Set<number>();
  const add = async (store: Store, id: string): Promise<number> => {
    const texts = ['One.', 'Two.'];
    const number = await addDocument(store.knowledge, {
      spaceId: 'first',
      id,
      metadata: {},
      texts,
    });
    assert.ok(!numbers.has(number), id);
    numbers.add(number);
    return number;
  };
  /** Changes a document to the state that a crash during indexing leaves behind. */
  const interruptIndexing = async ({ knowledge }: Store, number: number): Promise<void> => {
    await knowledge.db
      .updateTable('documents')
      .set({ state: 'processing', passages: 0 })
      .where('space_id', '=', 'first')
      .where('number', '=', number)
      .execute();
  };
  {
    await using store = await openSqlite(directory.path);
    await addSpace(store, 'first');
    await add(store, 'a');
    await interruptIndexing(store, await add(store, 'b'));
    const gone = await add(store, 'gone');
    await store.knowledge.db
      .deleteFrom('documents')
      .where('space_id', '=', 'first')
      .where('number', '=', gone)
      .execute();
  }
  const interrupted = [...numbers][1] ?? 0;
  const storePassages = async ({ knowledge }: Store): Promise<void> => {
    const owner = { spaceId: 'first', number: interrupted, fileName: 'b', title: null };
    await knowledge.index.insert(owner, 0, [{ heading: [], text: 'Whole.' }]);
  };
  await copyFrom(directory.path, url);
  {
    await using store = await openPostgres(url);
    await storePassages(store);
    await interruptIndexing(store, interrupted);
    await add(store, 'c');
  }
  await copyFrom(url, back.path);
  await using store = await openSqlite(back.path);
  await storePassages(store);
  await add(store, 'd');
});
