import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuery } from '../../../lib/text/index.ts';
import { groupsOf, passagesOf, rank } from '../ranking/index.ts';
import { encodeTermVectors, TermIndex } from './index.ts';

const chunk = (body: string) => encodeTermVectors([{ title: '', heading: '', body }]);

test('a document with a corrupt chunk is not added and does not affect other documents', () => {
  const whole = chunk('amber beacon');
  const corrupt = chunk('amber coral');
  // The last byte is the occurrence of the last term: the distance to the passage, times two, plus one.
  corrupt[corrupt.length - 1] = 2 * 3 + 1;
  const index = new TermIndex();
  index.add(1, [whole]);
  assert.throws(() => index.add(2, [chunk('beacon'), corrupt]), RangeError);
  assert.throws(() => index.add(3, [whole, whole.slice(0, -1)]), RangeError);
  for (let number = 4; number < 10; number++) index.add(number, [whole]);
  index.add(2, [chunk('coral')]);
  const expected = new TermIndex();
  for (const number of [1, 4, 5, 6, 7, 8, 9]) expected.add(number, [whole]);
  expected.add(2, [chunk('coral')]);
  const all = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  for (const query of ['amber', 'beacon', 'coral']) {
    const find = (of: TermIndex) =>
      rank(of, passagesOf(of, all), groupsOf(of, readQuery(query)), 20).map(
        ({ ordinal, score }) => `${of.documentOf(ordinal).number} ${score}`,
      );
    assert.deepEqual(find(index), find(expected), query);
  }
  assert.equal(index.slotOf(3), null);
});
