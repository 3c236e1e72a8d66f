import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { roundsOf } from '../../tests/campaign.ts';
import { fold, matchesLike } from '../evaluate/text.ts';
import { likePattern } from './like-pattern.ts';
import { WorkMeter } from './work-meter.ts';

const meter = new WorkMeter(() => undefined);

const character = fc.constantFrom(
  'a',
  'b',
  'A',
  'Σ',
  'σ',
  'ς',
  'İ',
  '\u0307',
  '😀',
  '😁',
  '\n',
  '%',
  '_',
  '\\',
);
const value = fc.string({ unit: character, maxLength: 12 });
const pattern = fc
  .array(fc.oneof(fc.constantFrom('%', '_', '\\%', '\\_', '\\\\'), character), { maxLength: 8 })
  .map((parts) => parts.join(''))
  .filter((joined) => !/(^|[^\\])(\\\\)*\\$/.test(joined));

test('a compiled pattern matches the same values as matchesLike', () => {
  let matches = 0;
  fc.assert(
    fc.property(value, pattern, (text, like) => {
      const expected = matchesLike(text, like);
      assert.equal(likePattern(like, meter).matches(fold(text)), expected);
      if (expected) matches += 1;
    }),
    { numRuns: roundsOf(4000, 20_000) },
  );
  assert.ok(matches > 100, `${matches} matches`);
});

test('a compiled pattern with many wildcards matches the same repetitive values as matchesLike', () => {
  const repetitive = fc.string({
    unit: fc.constantFrom('a', 'a', 'a', '😀', 'b'),
    minLength: 40,
    maxLength: 200,
  });
  const pieces = fc.string({
    unit: fc.constantFrom('a', '_', '_', '😀'),
    minLength: 1,
    maxLength: 70,
  });
  let matches = 0;
  fc.assert(
    fc.property(repetitive, fc.array(pieces, { minLength: 1, maxLength: 3 }), (text, parts) => {
      const like = `%${parts.join('%')}%`;
      const expected = matchesLike(text, like);
      assert.equal(likePattern(like, meter).matches(text), expected);
      if (expected) matches += 1;
    }),
    { numRuns: roundsOf(1000, 5000) },
  );
  assert.ok(matches > 50, `${matches} matches`);
});

test('every value that matches a pattern contains the longest literal of the pattern', () => {
  fc.assert(
    fc.property(value, pattern, (text, like) => {
      const compiled = likePattern(like, meter);
      if (compiled.matches(fold(text))) assert.ok(fold(text).includes(compiled.literal));
    }),
    { numRuns: roundsOf(1000, 5000) },
  );
});

test('the suffix of a pattern does not overlap its prefix', () => {
  const compiled = likePattern('ab%ba', meter);
  assert.equal(compiled.matches('aba'), false);
  assert.equal(compiled.matches('abba'), true);
});

test('a long comparison checks the time', () => {
  let checks = 0;
  const counting = new WorkMeter(() => {
    checks += 1;
  });
  assert.equal(likePattern('%_a_a_a_b%', counting).matches('a'.repeat(60_000)), false);
  assert.ok(checks > 1);
});

test('the work for a pattern that nearly matches at every position is limited', () => {
  let checks = 0;
  const counting = new WorkMeter(() => {
    checks += 1;
  });
  const { matches } = likePattern(`%${'_a'.repeat(499)}b%`, counting);
  assert.equal(matches('a'.repeat(60_000)), false);
  assert.ok(checks < 60, `${checks} checks`);
});
