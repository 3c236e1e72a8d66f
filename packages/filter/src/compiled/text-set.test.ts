import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { roundsOf } from '../../tests/campaign.ts';
import { TextSet } from './text-set.ts';
import { WorkMeter } from './work-meter.ts';

const meter = new WorkMeter(() => undefined);

/** Asserts that a set of texts finds the same texts in all strings as `includes`. Returns the fraction of texts that were found. */
function assertAgreement(texts: readonly string[], strings: readonly string[]): number {
  const set = new TextSet(meter);
  for (const text of texts) set.add(text);
  let found = 0;
  for (const string of strings)
    for (const [at, text] of texts.entries()) {
      const isIn = set.isIn(string, at);
      assert.equal(isIn, string.includes(text), JSON.stringify({ string, text }));
      if (isIn) found += 1;
    }
  return found / (texts.length * strings.length);
}

for (const [name, count] of [
  ['few texts', 5],
  ['many texts', 60],
] as const)
  test(`a set finds the same texts as includes: ${name}`, () => {
    const unit = fc.constantFrom('a', 'b', 'c', '\0', '😀', 'ÿ', '\uffff');
    const texts = fc.array(fc.string({ unit, maxLength: 6 }), {
      minLength: count,
      maxLength: count,
    });
    const strings = fc.array(fc.string({ unit, maxLength: 40 }), { maxLength: 5 });
    fc.assert(
      fc.property(texts, strings, (some, all) => {
        assertAgreement(some, all);
      }),
      { numRuns: roundsOf(100, 500) },
    );
  });

test('a set finds long texts that differ only at the end', () => {
  const texts = Array.from({ length: 500 }, (_, at) => `${'x'.repeat(990)}${at}`);
  const strings = [`${'x'.repeat(1000)}17 ${'x'.repeat(990)}4`, 'x'.repeat(2000), ''];
  const share = assertAgreement(texts, strings);
  assert.ok(share > 0 && share < 0.01, `${share}`);
});

test('a set finds long texts of two letters that have no common prefix', () => {
  const texts = Array.from({ length: 500 }, (_, at) =>
    (at + 512).toString(2).replaceAll('0', 'a').replaceAll('1', 'b').repeat(90),
  );
  const strings = [texts[7] ?? '', `a${texts[499]}`, texts[7]?.slice(1) ?? ''];
  const share = assertAgreement(texts, strings);
  assert.ok(share > 0 && share < 0.1, `${share}`);
});

test('a set finds texts with more different characters than an automaton distinguishes', () => {
  const texts = Array.from({ length: 500 }, (_, at) =>
    String.fromCharCode(0x4e00 + at, 0x4e01 + at),
  );
  const share = assertAgreement(texts, [texts.join(''), texts.toReversed().join(''), '']);
  assert.ok(share > 0.3 && share < 0.7, `${share}`);
});
