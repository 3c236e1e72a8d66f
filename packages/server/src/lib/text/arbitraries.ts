import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import fc from 'fast-check';

const PIECES = [
  ...[
    'Größe',
    'Straße',
    'naïve',
    'ΟΔΟΣ',
    'İstanbul',
    'ﬁn',
    'e-mail',
    'C++',
    'F#',
    'U.S.A.',
    "don't",
  ],
  ...[
    'AB-1234/56',
    '1,234.50',
    'ёлка',
    'йод',
    'за\u0301мок',
    'كِتَاب',
    'الكتاب',
    '٢٠٢٤',
    'ﷺ',
    'שָׁלוֹם',
  ],
  ...[
    '東京都',
    'データベース',
    'ｶﾞｲﾄﾞ',
    '㈱',
    '学校',
    '학교에서',
    '한국'.normalize('NFD'),
    'ภาษาไทย',
  ],
  ...[
    'ខ្មែរ',
    'हिन्दी',
    '👨‍👩‍👧',
    '👍🏽',
    '🇩🇪',
    '½',
    'x²',
    '™',
    '\u0301',
    '\u200b',
    '\u00ad',
    '\ufeff',
  ],
  ...[
    '\ud800',
    '\udc00',
    '\0',
    '"',
    '“',
    '”',
    '*',
    '^',
    ':',
    '(',
    ')',
    '{',
    '}',
    '+',
    '#',
    '-',
    "'",
  ],
  ...['AND', 'OR', 'NOT', 'NEAR(', 'title:', ' ', '\n', '\u3000', 'a'.repeat(70), '字'.repeat(5)],
];

/** Random texts: words of many scripts, query syntax of search engines, and arbitrary UTF-16. */
export const anyText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 3, arbitrary: fc.constantFrom(' ', ' ', '. ', ', ') },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 4 }) },
      {
        weight: 1,
        arbitrary: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      },
    ),
    { maxLength: 24 },
  )
  .map((pieces) => pieces.join(''));
