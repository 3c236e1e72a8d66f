import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { anyCharacter } from '@gatehouse/filter/tests/any-character';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import type { ExtractionError } from '../extraction-error.ts';
import type { Passage } from '../extractor.ts';
import { MAX_PASSAGES, MAX_TEXT } from '../limits.ts';
import type { Block } from './block.ts';
import { sizeOf } from './cut-at-spaces.ts';
import { MAX_SIZE, PassageBuilder } from './passage-builder.ts';

function passagesOf(...blocks: readonly Block[]): readonly Passage[] {
  const builder = new PassageBuilder();
  for (const block of blocks) builder.add(block);
  return builder.finish();
}

const heading = (level: number, text: string): Block => ({ kind: 'heading', level, text });
const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
const texts = (passages: readonly Passage[]) => passages.map(({ text }) => text);
const sentence = (n: number) => `Sentence number ${n} says a little about the matter at hand.`;
const sentences = (count: number) => Array.from({ length: count }, (_, n) => sentence(n));

describe('PassageBuilder', () => {
  test('joins short paragraphs and keeps their order', () => {
    assert.deepEqual(texts(passagesOf(paragraph('One.'), paragraph('Two.'))), ['One.\n\nTwo.']);
  });

  test('starts a new passage at each heading and adds the heading path', () => {
    const passages = passagesOf(
      paragraph('Before.'),
      heading(1, 'A'),
      paragraph('a'),
      heading(3, 'A1'),
      paragraph('a1'),
      heading(2, 'A2'),
      paragraph('a2'),
      heading(1, 'B'),
      paragraph('b'),
    );
    assert.deepEqual(passages, [
      { heading: [], text: 'Before.' },
      { heading: ['A'], text: 'a' },
      { heading: ['A', 'A1'], text: 'a1' },
      { heading: ['A', 'A2'], text: 'a2' },
      { heading: ['B'], text: 'b' },
    ]);
  });

  test('creates a passage for a heading without text', () => {
    assert.deepEqual(passagesOf(heading(1, 'A'), heading(2, 'A1'), heading(2, 'A2')), [
      { heading: ['A', 'A1'], text: 'A1' },
      { heading: ['A', 'A2'], text: 'A2' },
    ]);
  });

  test('creates no passage for an empty page', () => {
    const passages = passagesOf(
      { kind: 'page', number: 1 },
      { kind: 'page', number: 2 },
      paragraph('Text.'),
    );
    assert.deepEqual(passages, [{ heading: ['Page 2'], text: 'Text.' }]);
  });

  test('splits a long paragraph after a sentence, and repeats the sentence in the next passage', () => {
    const [first = '', second = '', ...rest] = texts(
      passagesOf(paragraph(sentences(25).join(' '))),
    );
    assert.equal(rest.length, 0);
    assert.ok(first.length > 800 && first.length <= MAX_SIZE, String(first.length));
    const last = first.slice(first.lastIndexOf('Sentence'));
    assert.ok(second.startsWith(`${last} Sentence`), second);
  });

  test('repeats no text between passages that contain whole paragraphs', () => {
    const long = sentences(12).join(' ');
    const all = texts(passagesOf(paragraph(long), paragraph(long), paragraph(long)));
    assert.deepEqual(all, [long, long, long]);
  });

  test('keeps an introductory line together with the next block', () => {
    const items = sentences(18).map((text) => `- ${text}`);
    const [first = ''] = texts(passagesOf(paragraph('These apply:'), { kind: 'list', items }));
    assert.ok(first.startsWith('These apply:\n\n- Sentence number 0'), first);
  });

  test('keeps a list together if it fits and splits a longer list between items', () => {
    const items = sentences(15).map((text) => `- ${text}`);
    const intro = paragraph(sentences(6).join(' '));
    assert.deepEqual(texts(passagesOf(intro, { kind: 'list', items })), [
      sentences(6).join(' '),
      items.join('\n'),
    ]);
    const long = sentences(40).map((text) => `- ${text}`);
    const lines = texts(passagesOf({ kind: 'list', items: long })).flatMap((t) => t.split('\n'));
    assert.deepEqual(lines, long);
  });

  test('adds column names to values and fills passages with rows', () => {
    const header = ['Name', 'City'];
    const rows = Array.from({ length: 60 }, (_, n) => [`Person ${n}`, `City ${n}`]);
    const passages = texts(
      passagesOf(...rows.map((cells): Block => ({ kind: 'row', header, cells }))),
    );
    assert.ok(passages.length < 5);
    assert.deepEqual(
      passages.flatMap((text) => text.split('\n')),
      rows.map(([name, city]) => `Name: ${name} | City: ${city}`),
    );
  });

  test('omits empty cells and supports tables without a header', () => {
    const rows: Block[] = [
      { kind: 'row', header: ['A', 'B'], cells: ['', 'b', 'more'] },
      { kind: 'row', header: [], cells: ['x', 'y'] },
    ];
    assert.deepEqual(texts(passagesOf(...rows)), ['B: b | more\nx | y']);
  });

  test('keeps the lines and indents of code', () => {
    const code = 'if (a) {\n\tb();\n\n  c();\n}';
    assert.deepEqual(texts(passagesOf({ kind: 'code', text: `\n${code}\n\n` })), [code]);
  });

  test('counts a Chinese character twice', () => {
    const passages = texts(passagesOf(paragraph('这是一个关于许可的句子。'.repeat(100))));
    for (const text of passages) assert.ok(sizeOf(text) <= MAX_SIZE && text.length <= 600);
    assert.equal(passages.length, 3);
    for (const text of passages) assert.ok(text.endsWith('。'));
  });

  test('splits a very long word, but never within a character', () => {
    const passages = texts(passagesOf(paragraph('😀'.repeat(2000))));
    assert.equal(passages.join(''), '😀'.repeat(2000));
    for (const text of passages) assert.ok(text.isWellFormed());
  });

  test('removes characters that storage rejects or that disturb searches', () => {
    const given = 'a\u0000b\ud800c\u0007 d\u00ad\u200e\u202ee \t f\r\n g u\u0308';
    assert.deepEqual(texts(passagesOf(paragraph(given))), ['ab\ufffdc d\u200ee f\ng ü']);
  });

  test('rejects text and passages beyond the limits', () => {
    const page = paragraph('x'.repeat(1_000_000));
    const isTooLarge = (error: ExtractionError) => error.code === 'too-large';
    assert.throws(() => passagesOf(...Array(MAX_TEXT / 1_000_000 + 1).fill(page)), isTooLarge);
    const many = Array.from({ length: MAX_PASSAGES + 1 }, (_, n) => heading(1, `${n}`));
    assert.throws(() => passagesOf(...many), isTooLarge);
  });

  test('loses no word, exceeds no limit and keeps text well-formed for any blocks', () => {
    const words = fc.array(
      fc.oneof(fc.string({ unit: anyCharacter, maxLength: 30 }), fc.lorem({ mode: 'sentences' })),
      { maxLength: 80 },
    );
    const text = words.map((some) => some.join(' '));
    const block: fc.Arbitrary<Block> = fc.oneof(
      fc.record({ kind: fc.constant('heading'), level: fc.integer({ min: 1, max: 6 }), text }),
      fc.record({ kind: fc.constantFrom('paragraph', 'code'), text }),
      fc.record({ kind: fc.constant('list'), items: words }),
      fc.record({ kind: fc.constant('row'), header: words, cells: words }),
    );
    fc.assert(
      fc.property(fc.array(block, { maxLength: 12 }), (blocks) => {
        const passages = passagesOf(...blocks);
        for (const passage of passages) {
          assert.ok(sizeOf(passage.text) <= MAX_SIZE, String(sizeOf(passage.text)));
          for (const part of [passage.text, ...passage.heading]) {
            assert.ok(part.trim() !== '' && part.isWellFormed() && !part.includes('\0'));
          }
        }
        const found = texts(passages).join(' ');
        for (const given of blocks) {
          if (given.kind !== 'paragraph') continue;
          for (const word of given.text.match(/\b[a-z]{2,29}\b/g) ?? [])
            assert.ok(found.includes(word), word);
        }
      }),
      { numRuns: roundsOf(40, 200) },
    );
  });
});
