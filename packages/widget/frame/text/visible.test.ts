import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { visible } from './visible.ts';

test('removes bidirectional controls', () => {
  const controls = [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2069];
  for (const code of controls)
    assert.equal(visible(`invoice${String.fromCodePoint(code)}fdp.exe`), 'invoicefdp.exe');
});

test('removes tag characters, fillers, zero-width characters and control characters', () => {
  const tags = Array.from('secret', (char) =>
    String.fromCodePoint(0xe0000 + (char.codePointAt(0) ?? 0)),
  ).join('');
  assert.equal(visible(`a${tags}b`), 'ab');
  assert.equal(visible('a\u200bb\u00adc\u2060d\ufeffe\u3164f\u2800g\u180eh\ufff9i'), 'abcdefghi');
  assert.equal(visible('a\u0000b\u001bc\u007fd\u0085e'), 'abcde');
  assert.equal(visible('a\ufe0fb\u{e0101}c'), 'abc');
  assert.equal(visible('\ud83d half'), ' half');
});

test('keeps tabs and line feeds and replaces other line separators with a space', () => {
  assert.equal(visible('a\tb\nc\u2028d'), 'a\tb\nc d');
});

test('keeps the joiners that certain scripts and emoji need', () => {
  for (const text of [
    'می‌خواهم',
    'क्‍ष',
    'ភាសា\u200bខ្មែរ',
    '👩‍👩‍👧',
    '❤️',
    '1️⃣',
    '🏳️‍🌈',
    '👍🏽',
    '葛\u{e0100}城',
  ])
    assert.equal(visible(text), text);
});

test('reduces consecutive joiners to one', () => {
  assert.equal(visible('می‌‌‌خ'), 'می‌خ');
  assert.equal(visible('👩‍‍‍👧'), '👩‍👧');
});

test('limits the number of combining marks on a letter', () => {
  assert.equal(visible(`Z${'\u0335'.repeat(500)}algo`), `Z${'\u0335'.repeat(8)}algo`);
  assert.equal(visible('Tiếng Việt'), 'Tiếng Việt');
});

test('visible() is idempotent and leaves no hidden characters', () => {
  const pieces = fc.constantFrom(
    'a',
    ' ',
    'م',
    '👩',
    '\u200d',
    '\u200b',
    '\ufe0f',
    '\u202e',
    '1',
    '葛',
    '\u{e0100}',
  );
  fc.assert(
    fc.property(
      fc.array(pieces).map((all) => all.join('')),
      (text) => {
        const shown = visible(text);
        assert.doesNotMatch(shown, /[\u202a-\u202e\u2066-\u2069]|[\u200b-\u200d]{2}|[a1]\u200d/u);
        assert.equal(visible(shown), shown);
      },
    ),
  );
});
