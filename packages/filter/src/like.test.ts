import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from './fold.ts';
import { matchesLike } from './like.ts';

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
  test(`${JSON.stringify(value)} is like ${JSON.stringify(pattern)}`, () => {
    assert.equal(matchesLike(value, pattern), true);
  });
}

for (const [value, pattern] of differing) {
  test(`${JSON.stringify(value)} is not like ${JSON.stringify(pattern)}`, () => {
    assert.equal(matchesLike(value, pattern), false);
  });
}

test('one character is a code point of the folded value', () => {
  assert.equal(matchesLike('İ', '_'), false);
  assert.equal(matchesLike('İ', '__'), true);
});

test('like agrees with its definition by cases', () => {
  const value = fc.string({ unit: fc.constantFrom('a', 'b', '😀', '\n', '%'), maxLength: 8 });
  const pattern = fc
    .array(fc.constantFrom('a', 'B', '😀', '%', '%', '_', '\\%', '\\a'), { maxLength: 7 })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(value, pattern, (text, wanted) => {
      assert.equal(matchesLike(text, wanted), isLike([...fold(text)], [...fold(wanted)]));
    }),
    { numRuns: 10_000 },
  );
});

test('every value is like its own beginning and a %', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('Ω', 'Α', 'İ', 'ß', 'x', '😀') }), (value) => {
      for (const [length] of [...value].entries()) {
        const beginning = [...value].slice(0, length).join('');
        assert.equal(matchesLike(value, `${beginning}%`), true);
      }
    }),
  );
});

test('patterns made to be slow take no longer than the value times the pattern', {
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

/** The definition, one case after the other; slow. */
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
