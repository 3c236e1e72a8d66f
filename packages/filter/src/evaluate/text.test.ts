import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../tests/any-character.ts';
import { roundsOf } from '../../tests/campaign.ts';
import { compareCodePoints, fold, matchesLike } from './text.ts';

const unicode = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: fc.constantFrom('Σ', 'σ', 'ς', 'Α', 'İ', 'I', 'ß', '.', ' ', '😀', '\u0307') }),
);

test('fold returns the same result for a string and for its lower-case form', () => {
  fc.assert(
    fc.property(unicode, (text) => {
      assert.equal(fold(text), fold(text.toLowerCase()));
    }),
  );
});

test('the folded form of a sigma depends on its position in the word', () => {
  assert.equal(fold('ΣΑΣ'), 'σας');
  assert.notEqual(fold('ς'), fold('σ'));
});

test('folding does not expand characters, such as ß to ss', () => {
  assert.notEqual(fold('ß'), fold('SS'));
  assert.equal(fold('ẞ'), 'ß');
  assert.equal(fold('İ'), 'i\u0307');
  assert.notEqual(fold('İ'), fold('i'));
  assert.equal(fold('𐐀'), '𐐨');
});

const ordered = fc.string({
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

test('compareCodePoints orders strings by their UTF-8 bytes', () => {
  fc.assert(
    fc.property(ordered, ordered, (left, right) => {
      const bytes = Buffer.compare(Buffer.from(left), Buffer.from(right));
      assert.equal(Math.sign(compareCodePoints(left, right)), bytes);
    }),
    { numRuns: roundsOf(1000, 5000) },
  );
});

test('compareCodePoints orders a prefix before the longer string', () => {
  assert.ok(compareCodePoints('a', 'ab') < 0);
  assert.ok(compareCodePoints('', 'a') < 0);
  assert.equal(compareCodePoints('ab', 'ab'), 0);
});

const matching: readonly (readonly [string, string])[] = [
  ['', ''],
  ['', '%'],
  ['abc', 'abc'],
  ['abc', 'ABC'],
  ['abc', 'a%'],
  ['abc', '%c'],
  ['abc', '%b%'],
  ['abc', '%%a%%c%%'],
  ['abc', 'a_c'],
  ['abc', '___'],
  ['abc', '_%_'],
  ['a\nb\r\nc', 'a%c'],
  ['a\nb', 'a_b'],
  ['100%', '100\\%'],
  ['a_b', 'a\\_b'],
  ['a\\b', 'a\\\\b'],
  ['abc', '\\a\\b\\c'],
  ['aab', '%ab'],
  ['abab', '%ab'],
  ['aXbXc', 'a%x%c'],
  ['😀', '_'],
  ['a😀b', 'a_b'],
  ['[a-z]+.*$', '[a-z]+.*$'],
  ['ΟΔΟΣ', 'οδος'],
  ['ΟΔΟΣ', 'ΟΔΟΣ'],
  ['İstanbul', 'i̇STANBUL'],
  ['STRAẞE', 'straße'],
];

const differing: readonly (readonly [string, string])[] = [
  ['', '_'],
  ['a', ''],
  ['abc', 'ab'],
  ['abc', 'bc'],
  ['abc', '__'],
  ['abc', '____'],
  ['abc', '%b'],
  ['1000', '100\\%'],
  ['axb', 'a\\_b'],
  ['abc', 'a\\%'],
  ['😀', '__'],
  ['strasse', 'straße'],
  ['istanbul', 'İstanbul'],
];

for (const [value, pattern] of matching) {
  test(`${JSON.stringify(value)} matches ${JSON.stringify(pattern)}`, () => {
    assert.equal(matchesLike(value, pattern), true);
  });
}

for (const [value, pattern] of differing) {
  test(`${JSON.stringify(value)} does not match ${JSON.stringify(pattern)}`, () => {
    assert.equal(matchesLike(value, pattern), false);
  });
}

test('`_` matches one code point of the folded value', () => {
  assert.equal(matchesLike('İ', '_'), false);
  assert.equal(matchesLike('İ', '__'), true);
});

test('matchesLike agrees with a recursive reference implementation', () => {
  const value = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '\n', '%'), maxLength: 8 });
  const pattern = fc
    .array(fc.constantFrom('a', 'B', '😀', '%', '%', '_', '\\%', '\\a'), { maxLength: 7 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(value, pattern, (text, wanted) => {
      assert.equal(matchesLike(text, wanted), isLike([...fold(text)], [...fold(wanted)]));
    }),
    { numRuns: roundsOf(2000, 10_000) },
  );
});

test('every value matches each of its prefixes followed by `%`', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('Ω', 'Α', 'İ', 'ß', 'x', '😀') }), (value) => {
      for (const [length] of [...value].entries()) {
        const prefix = [...value].slice(0, length).join('');
        assert.equal(matchesLike(value, `${prefix}%`), true);
      }
    }),
  );
});

test('matching a pathological pattern takes at most quadratic time', {
  timeout: 20_000,
}, () => {
  const value = 'a'.repeat(20_000);
  assert.equal(matchesLike(value, `${'%a'.repeat(499)}%b`), false);
  assert.equal(matchesLike(value, `${'a%'.repeat(499)}b`), false);
  assert.equal(matchesLike(value, `${'%_'.repeat(499)}b`), false);
  assert.equal(matchesLike(value, `${'%'.repeat(999)}b`), false);
  assert.equal(matchesLike(value, `%${'a'.repeat(998)}b`), false);
  assert.equal(matchesLike(value, `${'%a'.repeat(500)}`), true);
});

/** A slow reference implementation of `matchesLike` for folded code points. */
function isLike(value: readonly string[], pattern: readonly string[]): boolean {
  const [sign, ...rest] = pattern;
  if (sign === undefined) return value.length === 0;
  if (sign === '%') {
    return isLike(value, rest) || (value.length > 0 && isLike(value.slice(1), pattern));
  }
  if (value.length === 0) return false;
  if (sign === '_') return isLike(value.slice(1), rest);
  if (sign === '\\') return value[0] === rest[0] && isLike(value.slice(1), rest.slice(1));
  return value[0] === sign && isLike(value.slice(1), rest);
}
