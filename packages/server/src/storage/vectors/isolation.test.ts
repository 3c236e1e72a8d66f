import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf, SEED } from '@gatehouse/filter/tests/campaign';
import { seeded } from '../../../tests/support/seeded.ts';
import { StoresWithHiddenDocuments, scopeWhere } from '../ports/hidden-documents.suite.ts';
import type { KnowledgeEngine } from '../ports/knowledge-engine.ts';
import { largeFilter } from '../ports/large-filter.suite.ts';

const MODEL = 'small';
const DIMENSIONS = 24;
const QUERIES_PER_STEP = 10;
/** More passages than fit into one row of vectors. */
const MANY_PASSAGES = 40;

const random = seeded(SEED);
const someVector = () => Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
/** Few vectors, so that many passages have equal scores. */
const VECTORS = new Map(Array.from({ length: 60 }, (_, index) => [`text ${index}`, someVector()]));
const TEXTS = [...VECTORS.keys()];

function someDocument() {
  const passages = random.next() < 0.1 ? MANY_PASSAGES : 1 + random.below(4);
  return { texts: Array.from({ length: passages }, () => random.pick(TEXTS)) };
}

/** Embeds all passages. A text ends with its passage, which determines its vector. */
async function embedAll({ vectors }: KnowledgeEngine): Promise<void> {
  for (;;) {
    const chunks = await vectors.next(MODEL, 16);
    if (chunks.length === 0) return;
    const embedded = chunks.map(({ texts, ...chunk }) => ({
      ...chunk,
      vectors: texts.map((text) => VECTORS.get(text.split('\n').at(-1) ?? '') ?? assert.fail()),
    }));
    await vectors.insert(MODEL, embedded);
  }
}

test(`vectors outside the scope change neither results nor scores (seed ${SEED})`, async (t) => {
  await using stores = await StoresWithHiddenDocuments.open(random, someDocument);
  /** Scopes with the same documents, which are evaluated by the index of values, by SQL, and by a compiled filter. */
  const scopes = [
    stores.scope,
    scopeWhere({ level: { like: 'OPEN' } }),
    scopeWhere(largeFilter('level', 'o%n')),
  ];
  const steps = roundsOf(30, 2000);
  let found = 0;
  for (let step = 1; step <= steps; step += 1) {
    await stores.change();
    for (const engine of [stores.small, stores.large]) await embedAll(engine);
    for (let count = 0; count < QUERIES_PER_STEP; count += 1) {
      const vector = random.next() < 0.3 ? random.pick([...VECTORS.values()]) : someVector();
      const query = { model: MODEL, vector };
      const limit = 1 + random.below(10);
      const expected = await stores.small.nearest(stores.scope, query, limit);
      const result = await stores.large.nearest(random.pick(scopes), query, limit);
      assert.deepEqual(result, expected, `step ${step}`);
      found += result.length;
    }
  }
  t.diagnostic(`${steps * QUERIES_PER_STEP} comparisons, ${found} passages`);
  assert.ok(found > steps * QUERIES_PER_STEP);
});
