import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Filter, parse } from '@gatehouse/filter';
import { roundsOf, SEED } from '../../../tests/support/campaign.ts';
import { seeded } from '../../../tests/support/seeded.ts';
import { createDocumentChanges } from '../../knowledge/documents/document-changes.repository.ts';
import { newStoreLocation } from '../open-store.suite.ts';
import { addSpace } from '../ports/add-space.suite.ts';
import type { KnowledgeEngine } from '../ports/knowledge-engine.ts';
import { addDocument, TIME } from '../ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../ports/knowledge-scope.ts';

const SPACE = 'space';
const OTHER_SPACE = 'other space';
const MODEL = 'small';
const DIMENSIONS = 24;
const QUERIES_PER_STEP = 10;
/** Number of steps after which the larger store is closed and reopened. */
const STEPS_PER_RESTART = 50;
/** More passages than fit into one row of vectors. */
const MANY_PASSAGES = 40;

const random = seeded(SEED);
const someVector = () => Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
/** Few vectors, so that many passages have equal scores. */
const VECTORS = new Map(Array.from({ length: 60 }, (_, index) => [`text ${index}`, someVector()]));
const TEXTS = [...VECTORS.keys()];

function parsed(filter: object): Filter {
  const result = parse(filter);
  assert.ok(result.ok);
  return result.filter;
}

/** Embeds all passages. A text ends with its passage, which determines its vector. */
async function embedAll({ vectors }: KnowledgeEngine): Promise<void> {
  for (;;) {
    const chunks = await vectors.next(MODEL, 0, 16);
    if (chunks.length === 0) return;
    const embedded = chunks.map(({ texts, ...chunk }) => ({
      ...chunk,
      vectors: texts.map((text) => VECTORS.get(text.split('\n').at(-1) ?? '') ?? assert.fail()),
    }));
    await vectors.insert(MODEL, embedded);
  }
}

test(`vectors outside the scope change neither results nor scores (seed ${SEED})`, async (t) => {
  using small = await newStoreLocation();
  using large = await newStoreLocation();
  await using alone = await small.open();
  let crowded = await large.open();
  const scope = new KnowledgeScope(SPACE, parsed({ level: { eq: 'open' } }));
  const visible: string[] = [];
  const hidden: { readonly spaceId: string; readonly id: string }[] = [];
  let added = 0;

  async function add(engines: readonly KnowledgeEngine[], spaceId: string, level: string) {
    added += 1;
    const passages = random.next() < 0.1 ? MANY_PASSAGES : 1 + random.below(4);
    const texts = Array.from({ length: passages }, () => random.pick(TEXTS));
    const id = `document ${added}`;
    for (const engine of engines)
      await addDocument(engine, { spaceId, id, metadata: { level }, texts });
    return id;
  }

  async function addVisible(): Promise<void> {
    visible.push(await add([alone.knowledge, crowded.knowledge], SPACE, 'open'));
  }

  async function addHidden(spaceId: string, level: string): Promise<void> {
    hidden.push({ spaceId, id: await add([crowded.knowledge], spaceId, level) });
  }

  async function removeHidden(): Promise<void> {
    const [one] = hidden.splice(random.below(hidden.length), 1);
    if (one === undefined) return;
    const within = new KnowledgeScope(one.spaceId, parsed({}));
    await createDocumentChanges(crowded.knowledge).remove(within, one.id);
  }

  /** Removes a visible document from the smaller store and hides the same document in the larger store. */
  async function hide(): Promise<void> {
    const [id] = visible.splice(random.below(visible.length), 1);
    if (id === undefined) return;
    await createDocumentChanges(alone.knowledge).remove(scope, id);
    const properties = { metadata: { level: 'closed' }, updated_at: TIME };
    await createDocumentChanges(crowded.knowledge).changeProperties(scope, id, properties);
    hidden.push({ spaceId: SPACE, id });
  }

  /** Changes a visible document in both stores without a change of its passages. */
  async function touch(): Promise<void> {
    if (visible.length === 0) return;
    const properties = { metadata: { level: 'open', version: added }, updated_at: TIME };
    const id = random.pick(visible);
    for (const { knowledge } of [alone, crowded])
      await createDocumentChanges(knowledge).changeProperties(scope, id, properties);
  }

  try {
    for (const store of [alone, crowded]) await addSpace(store, SPACE);
    await addSpace(crowded, OTHER_SPACE);
    for (let count = 0; count < 30; count += 1) await addVisible();
    let found = 0;
    const steps = roundsOf(30, 2000);
    for (let step = 1; step <= steps; step += 1) {
      await random.pick([
        addVisible,
        hide,
        touch,
        removeHidden,
        () => addHidden(SPACE, 'closed'),
        () => addHidden(SPACE, 'closed'),
        () => addHidden(OTHER_SPACE, 'open'),
      ])();
      if (step % STEPS_PER_RESTART === 0) {
        await crowded[Symbol.asyncDispose]();
        crowded = await large.open();
      }
      for (const { knowledge } of [alone, crowded]) await embedAll(knowledge);
      for (let count = 0; count < QUERIES_PER_STEP; count += 1) {
        const vector = random.next() < 0.3 ? random.pick([...VECTORS.values()]) : someVector();
        const query = { model: MODEL, vector };
        const limit = 1 + random.below(10);
        const expected = await alone.knowledge.nearest(scope, query, limit);
        const result = await crowded.knowledge.nearest(scope, query, limit);
        assert.deepEqual(result, expected, `step ${step}`);
        found += result.length;
      }
    }
    t.diagnostic(`${steps * QUERIES_PER_STEP} comparisons, ${found} passages`);
    assert.ok(found > steps * QUERIES_PER_STEP);
  } finally {
    await crowded[Symbol.asyncDispose]();
  }
});
