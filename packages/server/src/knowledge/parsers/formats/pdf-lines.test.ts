import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inReadingOrder } from './pdf-lines.ts';

/** Joins runs that are drawn from left to right. Hebrew runs have the direction `rtl`. */
function read(runs: readonly string[], step = 10): string {
  const placed = runs.map((str, index) => ({
    str,
    dir: /[א-ת]/.test(str) ? 'rtl' : 'ltr',
    transform: [1, 0, 0, 1, index * step, 0],
  }));
  return inReadingOrder(placed)
    .map(({ str }) => str)
    .join('');
}

test('a line of Hebrew that is drawn from left to right is reversed', () => {
  assert.equal(read(['.', 'ג', 'ב', ' ', 'א']), 'א בג.');
});

test('left-to-right runs in a Hebrew line remain in order', () => {
  assert.equal(read(['ג', ' ', '20', '26', ' ', 'ב', 'א']), 'אב 2026 ג');
});

test('in a left-to-right line only the Hebrew runs are reversed', () => {
  assert.equal(
    read(['The', ' ', 'word', ' ', 'ב', 'א', ' ', 'is', ' ', 'short']),
    'The word אב is short',
  );
});

test('a line that is drawn in reading order is unchanged', () => {
  assert.equal(read(['א', 'ב', ' ', 'ג'], -10), 'אב ג');
  assert.equal(read(['plain ', 'text']), 'plain text');
  assert.equal(read([]), '');
});
