import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import {
  hostileText,
  prefixesOf,
  steps,
  wellFormedText,
} from '../markdown/markdown.arbitraries.ts';
import { Announcer } from './announcer.ts';

const STRINGS = { code: 'Code' };

/** Returns the announced sentences of a text that streams in parts of `step` characters. */
function announced(text: string, { locale = 'en', step = 3 } = {}): string[] {
  const announcer = new Announcer(STRINGS, locale);
  const sentences = prefixesOf(text, [step]).flatMap((prefix) => announcer.push(prefix));
  return [...sentences, ...announcer.end()];
}

test('announces a sentence when the next sentence starts, and the last sentence at the end', () => {
  const announcer = new Announcer(STRINGS, 'en');
  assert.deepEqual(announcer.push('It takes five da'), []);
  assert.deepEqual(announcer.push('It takes five days.'), []);
  assert.deepEqual(announcer.push('It takes five days. No'), []);
  assert.deepEqual(announcer.push('It takes five days. No longer '), ['It takes five days.']);
  assert.deepEqual(announcer.push('It takes five days. No longer '), []);
  assert.deepEqual(announcer.end(), ['No longer']);
  assert.deepEqual(announcer.end(), []);
});

test('a sentence ends at the end of its block, even without punctuation', () => {
  assert.deepEqual(
    announced('# Refunds\nThey take\nlong\n\n- one\n- two. Three\n\n1. four\n> five\n\nsix'),
    ['Refunds', 'They take long', 'one', 'two.', 'Three', 'four', 'five', 'six'],
  );
});

describe('Markdown in announcements', () => {
  const CASES: Readonly<Record<string, readonly [text: string, ...sentences: string[]]>> = {
    emphasis: ['A **bold** *and* ~~old~~ _word_, ***both***.', 'A bold and old word, both.'],
    'literal asterisks and underscores': [
      '2 * 3 = 6, 2*3, snake_case.',
      '2 * 3 = 6, 2*3, snake_case.',
    ],
    'a link': ['See [the *guide*](https://docs.example/a.b?c=d "T").', 'See the guide.'],
    'an image': ['![A chart](https://docs.example/i.png) shows it.', 'A chart shows it.'],
    'an image in a link': ['[![logo](https://a.example)](https://b.example) here.', 'logo here.'],
    'an autolink': ['See <https://docs.example>.', 'See https://docs.example.'],
    citations: [
      'It takes days [1]. Or more [2][3], it says [1, 2].',
      'It takes days.',
      'Or more, it says.',
    ],
    'inline code': ['Call `a.b()` and `c_d`.', 'Call a.b() and c_d.'],
    'a code block': ['Do this:\n\n```js\nlet a. B\n```\n\nDone.', 'Do this:', 'Code', 'Done.'],
    'a code block in a list': ['- a\n  ```\n  x\n  ```\n- b', 'a', 'Code', 'b'],
    'an unclosed code block': ['```\nlet a', 'Code'],
    'a table': ['| a | b |\n|---|:-:|\n| *c* | d \\| e |', 'a, b', 'c, d | e'],
    'a thematic break': ['a\n\n---\n\nb', 'a', 'b'],
    'task list items': ['- [ ] a\n- [x] b', 'a', 'b'],
    'character references': ['R&amp;D &copy; \\*.', 'R&D © *.'],
    'hidden characters': ['in\u202evo\u{e0041}ice.', 'invoice.'],
    'literal brackets': ['a [note] b [ c.', 'a [note] b [ c.'],
  };
  for (const [name, [text, ...sentences]] of Object.entries(CASES))
    test(`announces Markdown as plain text: ${name}`, () => {
      for (const step of [1, 4, 1_000]) assert.deepEqual(announced(text, { step }), sentences);
    });
});

describe('sentence boundaries in each language', () => {
  const CASES: Readonly<
    Record<string, readonly (readonly [text: string, ...sentences: string[]])[]>
  > = {
    en: [
      [
        'Dr. Smith paid $3.50 to Mr. J. Doe. He left.',
        'Dr. Smith paid $3.50 to Mr. J. Doe.',
        'He left.',
      ],
      ['Is it? Yes! “It is.” Good.', 'Is it?', 'Yes!', '“It is.”', 'Good.'],
      ['Use e.g. this, i.e. that, etc. and go on.', 'Use e.g. this, i.e. that, etc. and go on.'],
    ],
    de: [
      [
        'Am 3. Oktober gilt z. B. Nr. 5 bzw. Abs. 2. Das ist so.',
        'Am 3. Oktober gilt z. B. Nr. 5 bzw. Abs. 2. Das ist so.',
      ],
      ['Das gilt hier. Dort nicht.', 'Das gilt hier.', 'Dort nicht.'],
    ],
    fr: [['M. Dupont vient-il ? Oui, p. 5. Voilà !', 'M. Dupont vient-il ?', 'Oui, p. 5. Voilà !']],
    es: [['¿Qué es? Es el Sr. López. ¡Bien!', '¿Qué es?', 'Es el Sr. López.', '¡Bien!']],
    ru: [['Живёт на ул. Ленина. Хорошо.', 'Живёт на ул. Ленина.', 'Хорошо.']],
    ar: [['هل هذا سؤال؟ نعم، هذا جواب. انتهى', 'هل هذا سؤال؟', 'نعم، هذا جواب.', 'انتهى']],
    zh: [
      ['这是第一句。这是第二句，还有更多！结束', '这是第一句。', '这是第二句，还有更多！', '结束'],
    ],
    ja: [['はい。「そうです。」終わり？はい', 'はい。', '「そうです。」', '終わり？', 'はい']],
    'no tag': [['One. Two.', 'One.', 'Two.']],
  };
  for (const [locale, texts] of Object.entries(CASES))
    for (const [text, ...sentences] of texts)
      test(`splits sentences (${locale}): ${text}`, () =>
        assert.deepEqual(announced(text, { locale, step: 1 }), sentences));

  test('splits sentences even without Intl.Segmenter', (t) => {
    const { Segmenter } = Intl;
    t.after(() => Object.assign(Intl, { Segmenter }));
    Object.assign(Intl, { Segmenter: undefined });
    for (const locale of ['en', 'es', 'ru', 'ar', 'zh', 'ja'])
      for (const [text, ...sentences] of CASES[locale] ?? [])
        assert.deepEqual(announced(text, { locale, step: 1 }), sentences);
  });
});

const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');

test('announces an answer in parts with the same words as the whole answer, without split words', () => {
  fc.assert(
    fc.property(wellFormedText, steps, (text, lengths) => {
      const announcer = new Announcer(STRINGS, 'en');
      const parts = prefixesOf(text, lengths).flatMap((prefix) => announcer.push(prefix));
      const all = [...parts, ...announcer.end()];
      const once = announced(text, { step: text.length });
      assert.equal(letters(all.join(' ')), letters(once.join(' ')));
      const words = new Set(once.join(' ').match(/[\p{L}\p{N}_]+/gu));
      for (const word of all.join(' ').match(/[\p{L}\p{N}_]+/gu) ?? [])
        assert.ok(words.has(word), word);
    }),
    { numRuns: 300 },
  );
});

test('announces no hidden characters, whatever the text', () => {
  fc.assert(
    fc.property(hostileText, steps, (text, lengths) => {
      const announcer = new Announcer(STRINGS, 'en');
      for (const prefix of prefixesOf(text, lengths)) announcer.push(prefix);
      for (const sentence of announcer.end())
        assert.doesNotMatch(sentence, /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u);
    }),
    { numRuns: roundsOf(100, 500) },
  );
});
