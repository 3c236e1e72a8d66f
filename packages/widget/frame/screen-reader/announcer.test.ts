import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  hostileText,
  prefixesOf,
  steps,
  wellFormedText,
} from '../markdown/markdown.arbitraries.ts';
import { Announcer } from './announcer.ts';

const WORDS = { code: 'Code' };

/** What is heard of a text that comes in parts of some length. */
function heard(text: string, { locale = 'en', step = 3 } = {}): string[] {
  const announcer = new Announcer(WORDS, locale);
  const sentences = prefixesOf(text, [step]).flatMap((prefix) => announcer.push(prefix));
  return [...sentences, ...announcer.end()];
}

test('a sentence is heard when the next one has begun, and the last one at the end', () => {
  const announcer = new Announcer(WORDS, 'en');
  assert.deepEqual(announcer.push('It takes five da'), []);
  assert.deepEqual(announcer.push('It takes five days.'), []);
  assert.deepEqual(announcer.push('It takes five days. No'), []);
  assert.deepEqual(announcer.push('It takes five days. No longer '), ['It takes five days.']);
  assert.deepEqual(announcer.push('It takes five days. No longer '), []);
  assert.deepEqual(announcer.end(), ['No longer']);
  assert.deepEqual(announcer.end(), []);
});

test('a block ends a sentence, whether a mark does or not', () => {
  assert.deepEqual(
    heard('# Refunds\nThey take\nlong\n\n- one\n- two. Three\n\n1. four\n> five\n\nsix'),
    ['Refunds', 'They take long', 'one', 'two.', 'Three', 'four', 'five', 'six'],
  );
});

describe('of Markdown is heard', () => {
  const CASES: Readonly<Record<string, readonly [text: string, ...sentences: string[]]>> = {
    'no emphasis': ['A **bold** *and* ~~old~~ _word_, ***both***.', 'A bold and old word, both.'],
    'what only looks like emphasis': ['2 * 3 = 6, 2*3, snake_case.', '2 * 3 = 6, 2*3, snake_case.'],
    'a link by its text': [
      'See [the *guide*](https://docs.example/a.b?c=d "T").',
      'See the guide.',
    ],
    'an image by its text': [
      '![A chart](https://docs.example/i.png) shows it.',
      'A chart shows it.',
    ],
    'a link around an image': [
      '[![logo](https://a.example)](https://b.example) here.',
      'logo here.',
    ],
    'an address by itself': ['See <https://docs.example>.', 'See https://docs.example.'],
    'no citation': [
      'It takes days [1]. Or more [2][3], it says [1, 2].',
      'It takes days.',
      'Or more, it says.',
    ],
    'a word that is code': ['Call `a.b()` and `c_d`.', 'Call a.b() and c_d.'],
    'a code block as one': [
      'Do this:\n\n```js\nlet a. B\n```\n\nDone.',
      'Do this:',
      'Code',
      'Done.',
    ],
    'a code block in a list': ['- a\n  ```\n  x\n  ```\n- b', 'a', 'Code', 'b'],
    'a code block that never ends': ['```\nlet a', 'Code'],
    'a table by its rows': ['| a | b |\n|---|:-:|\n| *c* | d \\| e |', 'a, b', 'c, d | e'],
    'no rule': ['a\n\n---\n\nb', 'a', 'b'],
    'no box of a task': ['- [ ] a\n- [x] b', 'a', 'b'],
    'a character by reference': ['R&amp;D &copy; \\*.', 'R&D © *.'],
    'nothing that is hidden': ['in\u202evo\u{e0041}ice.', 'invoice.'],
    'brackets that are none': ['a [note] b [ c.', 'a [note] b [ c.'],
  };
  for (const [what, [text, ...sentences]] of Object.entries(CASES))
    test(what, () => {
      for (const step of [1, 4, 1_000]) assert.deepEqual(heard(text, { step }), sentences);
    });
});

describe('sentences end where they do', () => {
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
      test(`${locale}: ${text}`, () =>
        assert.deepEqual(heard(text, { locale, step: 1 }), sentences));

  test('also where the browser cannot tell', (t) => {
    const { Segmenter } = Intl;
    t.after(() => Object.assign(Intl, { Segmenter }));
    Object.assign(Intl, { Segmenter: undefined });
    for (const locale of ['en', 'es', 'ru', 'ar', 'zh', 'ja'])
      for (const [text, ...sentences] of CASES[locale] ?? [])
        assert.deepEqual(heard(text, { locale, step: 1 }), sentences);
  });
});

const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '');

test('what is heard in parts is what is heard at once: nothing twice, nothing less, no half word', () => {
  fc.assert(
    fc.property(wellFormedText, steps, (text, lengths) => {
      const announcer = new Announcer(WORDS, 'en');
      const parts = prefixesOf(text, lengths).flatMap((prefix) => announcer.push(prefix));
      const all = [...parts, ...announcer.end()];
      const once = heard(text, { step: text.length });
      assert.equal(letters(all.join(' ')), letters(once.join(' ')));
      const words = new Set(once.join(' ').match(/[\p{L}\p{N}_]+/gu));
      for (const word of all.join(' ').match(/[\p{L}\p{N}_]+/gu) ?? [])
        assert.ok(words.has(word), word);
    }),
    { numRuns: 300 },
  );
});

test('any text can be heard', () => {
  fc.assert(
    fc.property(hostileText, steps, (text, lengths) => {
      const announcer = new Announcer(WORDS, 'en');
      for (const prefix of prefixesOf(text, lengths)) announcer.push(prefix);
      for (const sentence of announcer.end())
        assert.doesNotMatch(sentence, /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u);
    }),
    { numRuns: 500 },
  );
});
