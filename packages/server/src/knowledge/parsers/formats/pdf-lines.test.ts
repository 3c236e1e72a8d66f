import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inReadingOrder } from './pdf-lines.ts';

/** Runs that are drawn from left to right; those in Hebrew go to the left. */
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

test('reads a line of Hebrew that is drawn from the left from its right end', () => {
  assert.equal(read(['.', 'ג', 'ב', ' ', 'א']), 'א בג.');
});

test('keeps what goes to the right within it', () => {
  assert.equal(read(['ג', ' ', '20', '26', ' ', 'ב', 'א']), 'אב 2026 ג');
});

test('turns only the Hebrew around in a line that goes to the right', () => {
  assert.equal(
    read(['The', ' ', 'word', ' ', 'ב', 'א', ' ', 'is', ' ', 'short']),
    'The word אב is short',
  );
});

test('leaves a line alone that is drawn in the order of reading', () => {
  assert.equal(read(['א', 'ב', ' ', 'ג'], -10), 'אב ג');
  assert.equal(read(['plain ', 'text']), 'plain text');
  assert.equal(read([]), '');
});
