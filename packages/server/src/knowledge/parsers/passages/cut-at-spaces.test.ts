import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';
import { cutAtSpaces, sizeOf } from './cut-at-spaces.ts';

test('the pieces of a cut text concatenate to the text and do not exceed the maximum size', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 500 }),
    fc.lorem({ maxCount: 100 }),
  );
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 200 }), (given, size) => {
      const pieces = cutAtSpaces(given, size);
      assert.equal(pieces.join(''), given);
      for (const piece of pieces) assert.ok(sizeOf(piece) <= size);
    }),
  );
});
