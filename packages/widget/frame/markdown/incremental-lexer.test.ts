import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Lexer, type TokensList } from 'marked';
import { IncrementalLexer } from './incremental-lexer.ts';
import { hostileText, prefixesOf, steps, wellFormedText } from './markdown.arbitraries.ts';

const whole = (text: string) => new IncrementalLexer().lex(text, false);
const anyText = fc.oneof(hostileText, wellFormedText);

/** What a text costs that comes in such parts: characters that marked reads for its blocks, at the top. */
function costOf(parts: readonly string[]): number {
  let cost = 0;
  let depth = 0;
  const { blockTokens } = Lexer.prototype;
  Lexer.prototype.blockTokens = function (
    this: Lexer,
    text: string,
    ...rest: [TokensList?, boolean?]
  ) {
    if (depth === 0) cost += text.length;
    depth++;
    try {
      return blockTokens.call(this, text, ...rest);
    } finally {
      depth--;
    }
  } as typeof blockTokens;
  try {
    const lexer = new IncrementalLexer();
    for (const part of parts) lexer.lex(part, true);
  } finally {
    Lexer.prototype.blockTokens = blockTokens;
  }
  return cost;
}

test('an answer that came in parts has the blocks of one that came at once', () => {
  fc.assert(
    fc.property(anyText, steps, (text, lengths) => {
      const lexer = new IncrementalLexer();
      for (const prefix of prefixesOf(text, lengths)) lexer.lex(prefix, true);
      assert.deepEqual(lexer.lex(text, false), whole(text));
    }),
    { numRuns: process.env['GATEHOUSE_TEST_CHAOS'] === 'full' ? 1_000 : 150 },
  );
});

test('a number under a list becomes an item of it, not a paragraph', () => {
  const lexer = new IncrementalLexer();
  for (const prefix of prefixesOf('1. one\n\n2. two\n\n3. three', [1])) lexer.lex(prefix, true);
  assert.equal(lexer.lex('1. one\n\n2. two\n\n3. three', false).length, 1);
});

test('blocks that are settled stay the same objects, to the end', () => {
  const lexer = new IncrementalLexer();
  const text = '# One\n\nTwo **three**.\n\n- four\n- five\n\nSix.\n\nSeven.\n\n';
  const before = lexer.lex(text, true).slice(0, 5);
  const rest = 'And more, and more, and more.\n\n'.repeat(5);
  for (const prefix of prefixesOf(rest, [3])) {
    const blocks = lexer.lex(text + prefix, true);
    before.forEach((block, at) => {
      assert.equal(blocks[at], block);
    });
  }
  const end = lexer.lex(text + rest, false);
  before.forEach((block, at) => {
    assert.equal(end[at], block);
  });
});

test('reading the same again gives the same', () => {
  const lexer = new IncrementalLexer();
  assert.equal(lexer.lex('*a', true), lexer.lex('*a', true));
  assert.equal(lexer.lex('*a', false), lexer.lex('*a', false));
});

test('another text is read anew', () => {
  const lexer = new IncrementalLexer();
  lexer.lex('One.\n\nTwo.\n\nThree.\n\nFour.', true);
  assert.deepEqual(lexer.lex('# Other', true), whole('# Other'));
  lexer.lex('# Other', false);
  assert.deepEqual(lexer.lex('# Other, again', true), whole('# Other, again'));
});

test('lines may end in any way', () => {
  assert.deepEqual(whole('a\r\n\r\nb\rc'), whole('a\n\nb\nc'));
});

test('paragraphs cost being read a few times, in however many parts an answer comes', () => {
  const text = 'Some words of an answer, and a few more of them, to the end.\n\n'.repeat(300);
  assert.ok(costOf(prefixesOf(text, [4])) < 40 * text.length);
});

test('one block without end costs no more than 129 times its length', () => {
  for (const text of [
    '- an item of a list\n'.repeat(1_000),
    `\`\`\`\n${'let a = 1;\n'.repeat(2_000)}`,
  ])
    assert.ok(costOf(prefixesOf(text, [8])) < 129 * text.length);
});

test('what is behind 64 Ki of text is shown as it is', () => {
  const text = `${'**a** b\n\n'.repeat(8_000)}`;
  const blocks = whole(text);
  assert.equal(blocks.at(-1)?.type, 'plain');
  assert.equal(blocks.map(({ raw }) => raw).join(''), text);
  const lexer = new IncrementalLexer();
  lexer.lex(text, true);
  assert.equal(lexer.lex(`${text}*more*`, true).at(-1)?.raw.endsWith('*more*'), true);
});
