import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { TraitsReader, traitsOf } from './file-traits.ts';

const CHARACTERS = ['a', 'ü', '€', '😀', '\0'].map((text) => Buffer.from(text));
const BYTES = fc
  .array(fc.oneof(fc.constantFrom(...CHARACTERS), fc.uint8Array({ maxLength: 2 })), {
    maxLength: 30,
  })
  .map((pieces) => Buffer.concat(pieces));

test('the traits do not depend on the chunks in which a file is read', () => {
  fc.assert(
    fc.property(BYTES, fc.integer({ min: 1, max: 5 }), (bytes, chunkBytes) => {
      const reader = new TraitsReader();
      for (let at = 0; at < bytes.length; at += chunkBytes)
        reader.read(bytes.subarray(at, at + chunkBytes));
      const expected = {
        size: bytes.length,
        start: bytes,
        hasNul: bytes.includes(0),
        isUtf8: isUtf8(bytes),
      };
      assert.deepEqual(reader.traits(), expected);
      assert.deepEqual(traitsOf(bytes), expected);
    }),
  );
});
