import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Filter, parse } from '@gatehouse/filter';
import { roundsOf, SEED } from '../../../../tests/support/campaign.ts';
import { seeded } from '../../../../tests/support/seeded.ts';
import { createDocumentChanges } from '../../../knowledge/documents/document-changes.repository.ts';
import { readQuery } from '../../../lib/text/index.ts';
import { newStoreLocation } from '../../open-store.suite.ts';
import { addSpace } from '../../ports/add-space.suite.ts';
import type { KnowledgeEngine } from '../../ports/knowledge-engine.ts';
import { addDocument, TIME } from '../../ports/knowledge-engine-under-test.suite.ts';
import { KnowledgeScope } from '../../ports/knowledge-scope.ts';

const SPACE = 'space';
const OTHER_SPACE = 'other space';
const QUERIES_PER_STEP = 10;
/** Number of steps after which the larger store is closed and reopened. */
const STEPS_PER_RESTART = 50;
const LETTERS = [...'abcdefghij'];
/** Words without digits, so that a search corrects typing errors. Many of them are similar to each other. */
const WORDS = Array.from(
  { length: 40 },
  (_, index) => `term${letter(index)}${letter(index >> 2)}o`,
);
const SECRET_WORDS = ['merger', 'layoffs', 'termless', 'terms'];

const random = seeded(SEED);

function letter(index: number): string {
  return LETTERS[index % LETTERS.length] ?? '';
}

/** Returns a word of the texts. In texts outside the scope, every second word has a typing error, so it rarely occurs in the scope. */
function someWord(isHidden: boolean): string {
  if (random.next() < (isHidden ? 0.2 : 0.03)) return random.pick(SECRET_WORDS);
  const word = WORDS[Math.floor(random.next() ** 3 * WORDS.length)] ?? '';
  return isHidden && random.next() < 0.5 ? misspelt(word) : word;
}

function misspelt(word: string): string {
  const at = 1 + random.below(word.length - 2);
  const rest = word.slice(at + 1);
  const transposed = rest.charAt(0) + word.charAt(at) + rest.slice(1);
  return word.slice(0, at) + random.pick([rest, random.pick(LETTERS) + rest, transposed]);
}

function someText(words: number, isHidden = false): string {
  return Array.from({ length: words }, () => someWord(isHidden)).join(' ');
}

function someQuery(): string {
  const words = Array.from({ length: 1 + random.below(4) }, () => {
    const word = someWord(false);
    return random.next() < 0.4 ? misspelt(word) : word;
  });
  const text = words.join(' ');
  return random.next() < 0.2 ? `"${someText(2)}" ${text}` : `${text}${random.pick(['', ' '])}`;
}

function parsed(filter: object): Filter {
  const result = parse(filter);
  assert.ok(result.ok);
  return result.filter;
}

test(`documents outside the scope change neither results nor scores (seed ${SEED})`, async (t) => {
  using small = await newStoreLocation();
  using large = await newStoreLocation();
  await using alone = await small.open();
  let crowded = await large.open();
  const scope = new KnowledgeScope(SPACE, parsed({ level: { eq: 'open' } }));
  /** Scopes with the same documents, which are evaluated by the index of values, by SQL, and by a function. */
  const scopes = [
    scope,
    new KnowledgeScope(SPACE, parsed({ level: { like: 'OPEN' } })),
    new KnowledgeScope(
      SPACE,
      parsed({ or: Array.from({ length: 20 }, () => ({ level: { like: 'o%n' } })) }),
    ),
  ];
  const visible: string[] = [];
  const hidden: { readonly spaceId: string; readonly id: string }[] = [];
  let added = 0;

  async function add(engines: readonly KnowledgeEngine[], spaceId: string, level: string) {
    added += 1;
    const isHidden = level === 'closed' || spaceId === OTHER_SPACE;
    const texts = Array.from({ length: 1 + random.below(3) }, () =>
      someText(3 + random.below(20), isHidden),
    );
    const id = `document ${added}`;
    const fileName = someText(2, isHidden);
    for (const engine of engines)
      await addDocument(engine, { spaceId, id, fileName, metadata: { level }, texts });
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

  try {
    for (const store of [alone, crowded]) await addSpace(store, SPACE);
    await addSpace(crowded, OTHER_SPACE);
    for (let count = 0; count < 30; count += 1) await addVisible();
    let found = 0;
    const steps = roundsOf(60, 2000);
    for (let step = 1; step <= steps; step += 1) {
      await random.pick([
        addVisible,
        hide,
        removeHidden,
        () => addHidden(SPACE, 'closed'),
        () => addHidden(SPACE, 'closed'),
        () => addHidden(OTHER_SPACE, 'open'),
      ])();
      if (step % STEPS_PER_RESTART === 0) {
        await crowded[Symbol.asyncDispose]();
        crowded = await large.open();
      }
      for (let count = 0; count < QUERIES_PER_STEP; count += 1) {
        const text = someQuery();
        const limit = 1 + random.below(20);
        const expected = await alone.knowledge.search(scope, readQuery(text), limit);
        const seen = random.pick(scopes);
        const result = await crowded.knowledge.search(seen, readQuery(text), limit);
        assert.deepEqual(result, expected, `step ${step}: ${text}`);
        found += result.length;
      }
    }
    t.diagnostic(`${steps * QUERIES_PER_STEP} comparisons, ${found} passages`);
    assert.ok(found > steps * QUERIES_PER_STEP);
  } finally {
    await crowded[Symbol.asyncDispose]();
  }
});
