import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { anyText } from './arbitraries.ts';
import { indexedText, LONGEST_TERM, tokenise } from './tokenise.ts';

function terms(text: string): string[] {
  return tokenise(text).map(({ term }) => term);
}

for (const [written, sought] of [
  ['Größe', 'GROSSE'],
  ['Straße', 'STRASSE'],
  ['Ærø Łódź', 'aero lodz'],
  ['İstanbul', 'istanbul'],
  ['Tiếng Việt', 'tieng viet'],
  ['ΟΔΟΣ', 'οδός'],
  ['ёлка', 'ЕЛКА'],
  ['за\u0301мок', 'замок'],
  ['الكِتَابُ', 'كتاب'],
  ['أحمد إلى', 'احمد الي'],
  ['مـــكتب', 'مكتب'],
  ['٢٠٢٤ ۱۲', '2024 12'],
  ['שָׁלוֹם', 'שלום'],
  ['ｶﾞｲﾄﾞ', 'ガイド'],
  ['ＡＢＣ１２', 'abc12'],
  ['ﬁnance ㎏', 'finance kg'],
  ['Donau\u00addampf', 'donaudampf'],
  ['한국어'.normalize('NFD'), '한국어'],
  ['한국어', '한국어'.normalize('NFD')],
  ['がく'.normalize('NFD'), 'がく'],
] as const) {
  test(`${written} has the same terms as ${sought}`, () => {
    assert.deepEqual(terms(written), terms(sought));
    assert.notEqual(terms(written).length, 0);
  });
}

for (const [one, other] of [
  ['йод', 'иод'],
  ['їжак', 'іжак'],
  ['か', 'が'],
  ['कि', 'की'],
  ['กา', 'กี'],
] as const) {
  test(`${one} and ${other} have different terms`, () =>
    assert.notDeepEqual(terms(one), terms(other)));
}

test('words joined by hyphens, dots, apostrophes and slashes are indexed separately and as a compound', () => {
  assert.deepEqual(terms('E-mail'), ['e', 'mail', 'email']);
  assert.deepEqual(terms('the U.S.A. today'), ['the', 'u', 's', 'a', 'today', 'usa']);
  assert.deepEqual(terms('AB-1234/56'), ['ab', '1234', '56', 'ab123456']);
  assert.deepEqual(terms('don’t'), terms("don't"));
  assert.deepEqual(terms('1,234.50'), ['1', '234', '50', '123450']);
  assert.deepEqual(terms('anna@example.com'), ['anna', 'example', 'com', 'annaexamplecom']);
});

test('slashes, commas and colons do not join words', () => {
  assert.deepEqual(terms('and/or this,that a:b'), ['and', 'or', 'this', 'that', 'a', 'b']);
});

test('a name such as C++ or F# becomes a term with its suffix', () => {
  assert.deepEqual(terms('C++, F# and C.'), ['c', 'f', 'and', 'c', 'c++', 'f#']);
  assert.deepEqual(terms('a++b'), ['a', 'b']);
});

test('text in Korean or in a script without spaces becomes pairs of letters and the last letter', () => {
  assert.deepEqual(terms('東京都'), ['東京', '京都', '都']);
  assert.deepEqual(terms('東'), ['東']);
  assert.deepEqual(terms('학교에서'), ['학교', '교에', '에서', '서']);
  assert.deepEqual(terms('กินข้าว'), ['กิน', 'นข้', 'ข้า', 'าว', 'ว']);
  assert.deepEqual(terms('iPhone用ケース'), ['iphone', '用ケ', 'ケー', 'ース', 'ス']);
  assert.deepEqual(terms('𠮷野'), ['𠮷野', '野']);
});

test('pictographs are terms, independent of skin tone', () => {
  assert.deepEqual(terms('👍🏽 ok🎉'), ['👍', 'ok', '🎉']);
});

test('a text without letters, digits and pictographs has no terms', () => {
  for (const text of ['', ' \n\t', '...—–!?', '\ud800', '\u0301', '\u200b\u200d', '"*^():', '\0']) {
    assert.deepEqual(terms(text), []);
  }
});

test('offsets refer to the original text', () => {
  const text = '🎉 Größe: ﷺ, 東京都 e-mail';
  const slices = tokenise(text).map(({ start, end }) => text.slice(start, end));
  const expected = ['🎉', 'Größe', 'ﷺ', 'ﷺ', 'ﷺ', 'ﷺ', '東京', '京都', '都', 'e', 'mail', 'e-mail'];
  assert.deepEqual(slices, expected);
});

test('terms have 1 to 64 code units, no spaces, no split characters, and ordered offsets', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let before = 0;
      for (const { term, start, end, kind } of tokenise(text)) {
        assert.match(term, /^(?:[a-z0-9]|[^\0-\x7f])+(?:\+\+|#)?$/u);
        assert.doesNotMatch(term, /[\s\p{Z}\p{C}]/u);
        assert.ok(term.length <= LONGEST_TERM && term.isWellFormed());
        assert.ok(start >= 0 && end > start && end <= text.length);
        if (kind === 'compound') continue;
        assert.ok(start >= before);
        before = start;
      }
    }),
    { numRuns: roundsOf(600, 3000) },
  );
});

test('normalisation and upper case do not change the terms', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const expected = indexedText(text);
      assert.equal(indexedText(text.normalize('NFC')), expected);
    }),
    { numRuns: roundsOf(200, 1000) },
  );
});

test('composed and decomposed forms of every character produce terms of the same kind', () => {
  for (let codePoint = 0; codePoint <= 0x10_ffff; codePoint++) {
    const character = String.fromCodePoint(codePoint);
    const expected = indexedText(character);
    if (expected === '') continue;
    assert.match(expected, /^(?:[a-z0-9 ]|[^\0-\x7f])+$/u);
    assert.doesNotMatch(expected, /[^\P{Z} ]|\p{C}/u);
    assert.equal(indexedText(character.normalize('NFD')), expected);
  }
});

test('normalisation of a character does not change how it joins letters', () => {
  // No character of the later planes has a decomposition.
  for (let codePoint = 0; codePoint <= 0x2_ffff; codePoint++) {
    const text = `ꓐ${String.fromCodePoint(codePoint)}ɣ`;
    const composed = text.normalize('NFC');
    if (composed !== text) assert.equal(indexedText(composed), indexedText(text));
  }
});

test('a word of 200,000 letters becomes one short term', () => {
  for (const letter of ['a', 'ö', 'ж', '😀', '\u0301']) {
    const tokens = tokenise(`x${letter.repeat(200_000)} y`);
    assert.ok(tokens.every(({ term }) => term.length <= LONGEST_TERM));
    assert.equal(tokens.at(-1)?.term, 'y');
  }
});

test('repeated calls with a substring that ends within a surrogate pair ignore the half character', () => {
  const whole = 'a longer text from which substrings are cut 𝛆 in the middle of a character';
  const end = whole.indexOf('𝛆') + 1;
  // V8 optimises the scan after several thousand calls. The optimised `String.prototype.codePointAt` can read past the end of the substring.
  for (let count = 0; count < 20_000; count++) {
    const terms = tokenise(whole.slice(2, end)).map(({ term }) => term);
    assert.equal(terms.join(' '), 'longer text from which substrings are cut');
  }
});
