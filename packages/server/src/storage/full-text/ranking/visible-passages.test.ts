import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuery } from '../../../lib/text/index.ts';
import { encodeTermVectors, TermIndex } from '../terms/index.ts';
import { groupsOf, passagesOf, rank, type VisiblePassages } from './index.ts';

const VISIBLE = 1;
const HIDDEN = 2;
const LATER = 3;

function addTo(index: TermIndex, number: number, body: string): void {
  index.add(number, [encodeTermVectors([{ title: '', heading: '', body }])]);
}

/** Returns the numbers of the documents that a query finds. */
function find(index: TermIndex, visible: VisiblePassages, query: string): number[] {
  const ranked = rank(index, visible, groupsOf(index, readQuery(query)), 10);
  return ranked.map(({ ordinal }) => index.documentOf(ordinal).number);
}

test('only the first search in a scope reads the postings of a hidden word', () => {
  for (const query of ['merger ', 'mergre ', 'merge ', '"merger" ']) {
    const index = new TermIndex();
    addTo(index, VISIBLE, 'amber merges');
    addTo(index, HIDDEN, 'merger');
    const visible = passagesOf(index, [VISIBLE]);
    const term = index.dictionary.find(Buffer.from('merger'));
    assert.equal(visible.isHidden(term), false, query);
    const found = find(index, visible, query);
    assert.equal(visible.isHidden(term), true, query);
    assert.deepEqual(find(index, visible, query), found, query);
  }
});

test('a search finds a word that was hidden in earlier searches of the scope', () => {
  const index = new TermIndex();
  addTo(index, VISIBLE, 'amber');
  addTo(index, HIDDEN, 'merger');
  const visible = passagesOf(index, [VISIBLE]);
  assert.deepEqual(find(index, visible, 'merger '), []);
  addTo(index, LATER, 'merger');
  assert.deepEqual(find(index, visible, 'merger '), []);
  const show = (number: number, isVisible: boolean) =>
    visible.set(index.document(index.slotOf(number) ?? -1), isVisible);
  show(LATER, true);
  assert.deepEqual(find(index, visible, 'merger '), [LATER]);
  show(LATER, false);
  assert.deepEqual(find(index, visible, 'merger '), []);
  show(HIDDEN, true);
  assert.deepEqual(find(index, visible, 'merger '), [HIDDEN]);
});

test('the size of a scope does not change when searches find hidden words', () => {
  const index = new TermIndex();
  addTo(index, HIDDEN, Array.from({ length: 300 }, (_, word) => `word${word}`).join(' '));
  const visible = passagesOf(index, []);
  const before = visible.byteLength;
  for (let word = 0; word < 300; word += 1) find(index, visible, `word${word} `);
  assert.equal(visible.byteLength, before);
});
