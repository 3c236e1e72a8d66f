import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankTexts } from './rank-passages.ts';

test('the best matches come first, and texts without a word of the query are omitted', async () => {
  const texts = ['Parcels and refunds.', 'Labels.', 'A refund. A refund takes five days.'];
  assert.deepEqual(await rankTexts(texts, 'refund', 4), [2, 0]);
  assert.deepEqual(await rankTexts(texts, 'refund', 1), [2]);
  assert.deepEqual(await rankTexts(texts, '"five days"', 4), [2]);
  assert.deepEqual(await rankTexts(texts, 'zebra', 4), []);
  assert.deepEqual(await rankTexts(texts, '', 4), []);
  assert.deepEqual(await rankTexts([], 'refund', 4), []);
});

test('other work runs while long texts are read', async () => {
  let others = 0;
  let isRanked = false;
  const work = () => {
    if (isRanked) return;
    others += 1;
    setImmediate(work);
  };
  setImmediate(work);
  const texts = Array.from({ length: 100 }, (_, at) => `text${at} ${'word '.repeat(2000)}`);
  const ranked = await rankTexts(texts, 'text42', 4);
  isRanked = true;
  assert.deepEqual(ranked, [42]);
  // 1,000,000 characters in slices of 100,000.
  assert.ok(others >= 9, `${others}`);
});
