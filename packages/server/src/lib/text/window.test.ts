import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import type { Hit } from './ranges.ts';
import { bestWindow } from './window.ts';

const hitsArbitrary = fc
  .array(fc.record({ start: fc.nat(60), length: fc.integer({ min: 1, max: 12 }), part: fc.nat(4) }))
  .map((all) => all.map(({ start, length, part }): Hit => ({ start, end: start + length, part })))
  .map((hits) => hits.sort((a, b) => a.start - b.start || a.end - b.end));

/** A reference implementation in quadratic time. */
function bestSpan(hits: readonly Hit[], maxLength: number) {
  let best = { parts: 0, count: 0, first: 0, last: 0 };
  for (const [index, { start: first }] of hits.entries()) {
    const inside = hits.slice(index).filter(({ end }) => end <= first + maxLength);
    const parts = new Set(inside.map(({ part }) => part)).size;
    if (parts > best.parts || (parts === best.parts && inside.length > best.count)) {
      const last = Math.max(...inside.map(({ end }) => end));
      best = { parts, count: inside.length, first, last };
    }
  }
  return best;
}

test('selects the first window with the most distinct parts, then with the most hits', () => {
  fc.assert(
    fc.property(hitsArbitrary, fc.integer({ min: 1, max: 40 }), (hits, maxLength) => {
      const { first, last } = bestSpan(hits, maxLength);
      const text = ' '.repeat(80);
      const window = bestWindow(text, hits, maxLength);
      assert.deepEqual([window.firstHit, window.lastHit], [first, last]);
      assert.ok(window.from <= first && last <= window.to);
      assert.ok(window.to - window.from <= maxLength);
    }),
    { numRuns: roundsOf(600, 3000) },
  );
});
