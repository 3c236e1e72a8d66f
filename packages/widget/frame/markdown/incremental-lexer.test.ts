import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { Lexer, type TokensList } from 'marked';
import { IncrementalLexer } from './incremental-lexer.ts';
import { hostileText, prefixesOf, steps, wellFormedText } from './markdown.arbitraries.ts';

const lexAtOnce = (text: string) => new IncrementalLexer().lex(text, false);
const anyText = fc.oneof(hostileText, wellFormedText);

/** Returns the number of characters that marked lexes at the top level if a text arrives in these parts. */
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

test('lexing an answer in parts returns the same blocks as lexing the whole answer', () => {
  fc.assert(
    fc.property(anyText, steps, (text, lengths) => {
      const lexer = new IncrementalLexer();
      for (const prefix of prefixesOf(text, lengths)) lexer.lex(prefix, true);
      assert.deepEqual(lexer.lex(text, false), lexAtOnce(text));
    }),
    { numRuns: roundsOf(60, 1_000) },
  );
});

test('a number after a list becomes an item of that list', () => {
  const lexer = new IncrementalLexer();
  for (const prefix of prefixesOf('1. one\n\n2. two\n\n3. three', [1])) lexer.lex(prefix, true);
  assert.equal(lexer.lex('1. one\n\n2. two\n\n3. three', false).length, 1);
});

test('returns the same objects for settled blocks', () => {
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

test('returns the same object for the same input', () => {
  const lexer = new IncrementalLexer();
  assert.equal(lexer.lex('*a', true), lexer.lex('*a', true));
  assert.equal(lexer.lex('*a', false), lexer.lex('*a', false));
});

test('starts over if the text does not continue the previous text', () => {
  const lexer = new IncrementalLexer();
  lexer.lex('One.\n\nTwo.\n\nThree.\n\nFour.', true);
  assert.deepEqual(lexer.lex('# Other', true), lexAtOnce('# Other'));
  lexer.lex('# Other', false);
  assert.deepEqual(lexer.lex('# Other, again', true), lexAtOnce('# Other, again'));
});

test('accepts all line endings', () => {
  assert.deepEqual(lexAtOnce('a\r\n\r\nb\rc'), lexAtOnce('a\n\nb\nc'));
});

test('lexes each paragraph only a few times, even if the answer arrives in many parts', () => {
  const text = 'Some words of an answer, and a few more of them, to the end.\n\n'.repeat(300);
  assert.ok(costOf(prefixesOf(text, [4])) < 40 * text.length);
});

test('lexes a long block at most 129 times', () => {
  for (const text of [
    '- an item of a list\n'.repeat(500),
    `\`\`\`\n${'let a = 1;\n'.repeat(1_000)}`,
  ])
    assert.ok(costOf(prefixesOf(text, [8])) < 129 * text.length);
});

test('renders text after the first 64 Ki characters literally', () => {
  const text = `${'**a** b\n\n'.repeat(8_000)}`;
  const blocks = lexAtOnce(text);
  assert.equal(blocks.at(-1)?.type, 'plain');
  assert.equal(blocks.map(({ raw }) => raw).join(''), text);
  const lexer = new IncrementalLexer();
  lexer.lex(text, true);
  assert.equal(lexer.lex(`${text}*more*`, true).at(-1)?.raw.endsWith('*more*'), true);
});
