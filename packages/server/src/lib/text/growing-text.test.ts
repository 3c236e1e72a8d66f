import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GrowingText } from './growing-text.ts';

test('the text is all added pieces in order, whenever it is read', () => {
  const steps = fc.array(fc.option(fc.string({ maxLength: 5 }), { nil: null }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (pieces) => {
      const text = new GrowingText();
      let expected = '';
      for (const piece of pieces) {
        if (piece === null) assert.equal(text.toString(), expected);
        else {
          text.add(piece);
          expected += piece;
        }
        assert.equal(text.length, expected.length);
      }
      assert.equal(text.toString(), expected);
    }),
  );
});
