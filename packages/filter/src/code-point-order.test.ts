import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareCodePoints } from './code-point-order.ts';

const unicode = fc.string({
  unit: fc.constantFrom(
    '',
    'a',
    'b',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '\u{10000}',
    '😀',
    '\u{10ffff}',
  ),
});

test('the order of code points is that of UTF-8 bytes', () => {
  fc.assert(
    fc.property(unicode, unicode, (left, right) => {
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
      assert.equal(Math.sign(compareCodePoints(left, right)), bytes);
    }),
    { numRuns: 5000 },
  );
});

test('a string stands before any longer one that it begins', () => {
  assert.ok(compareCodePoints('a', 'ab') < 0);
  assert.ok(compareCodePoints('', 'a') < 0);
  assert.equal(compareCodePoints('ab', 'ab'), 0);
});
