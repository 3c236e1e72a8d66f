import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Token } from 'marked';
import { lexMarkdown } from './bounded-lexer.ts';

const LENGTH = 65_536;
const fill = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);
const columns = 8_000;

/** Without bounds marked overflows the stack with some of these, and takes many seconds for others. */
const PATHOLOGICAL: Readonly<Record<string, string>> = {
  'quotes in quotes': fill('>'),
  'quotes in quotes, spaced': fill('> '),
  'lists in lists': fill('- '),
  'numbered lists in lists': fill('1. '),
  'lists in quotes in lists': fill('- > '),
  'lists, each indented more': Array.from(
    { length: 360 },
    (_, at) => `${' '.repeat(at)}- a\n`,
  ).join(''),
  'quotes with lazy lines': fill('> a\na\n'),
  'lists in quotes with lazy lines': fill('> - a\nb\n'),
  'an item of many lines': `- a\n${fill('b\n')}`,
  'lines that look like HTML': fill('<!--\n'),
  brackets: fill('['),
  'brackets of images': fill('!['),
  'brackets in brackets': '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2),
  'half links': `${fill('[a](b')})`,
  'half links with titles': fill('[a](b "'),
  emphasis: fill('*a '),
  'emphasis in emphasis': '*a '.repeat(LENGTH / 6) + ' a*'.repeat(LENGTH / 6),
  'emphasis of two kinds': fill('*a_ '),
  'emphasis in words': fill('*a**b '),
  'marks of code': Array.from({ length: 360 }, (_, at) => `${'`'.repeat(at + 1)}a`).join(' '),
  'half addresses of mail': `${'a.'.repeat(LENGTH / 2)}@`,
  'addresses with many ends': `http://a${fill('.')}`,
  'addresses with brackets': `http://a${fill('()')}`,
  'a wide table with empty rows': `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(columns)}`,
  'a table with many rows': `|a|b|\n|-|-|\n${fill('|\n')}`,
  'heads of tables': fill('|-|\n'),
  'lines that are underlined': fill('a\n=\n'),
  definitions: fill('[a]: b\n'),
  backslashes: fill('\\'),
  references: fill('&a;'),
};

/** How many objects there are in tokens, at any depth. */
function count(value: unknown): number {
  const all = Array.isArray(value) ? value : Object.values(value as object);
  return all.reduce(
    (sum: number, part) => sum + (typeof part === 'object' && part !== null ? 1 + count(part) : 0),
    0,
  );
}

describe('a text of 64 Ki that is made to be slow is read all the same', () => {
  for (const [name, text] of Object.entries(PATHOLOGICAL))
    test(name, () => {
      const { tokens } = lexMarkdown(text, new Map());
      assert.equal(
        tokens
          .map(({ raw }) => raw)
          .join('')
          .trimEnd(),
        text.trimEnd(),
      );
      assert.ok(count(tokens) < 2 * LENGTH);
      assert.notEqual(tokens[0]?.type, 'plain');
    });
});

const types = (text: string) => lexMarkdown(text, new Map()).tokens.map(({ type }) => type);

test('quotes and lists go twelve deep, and are text behind that', () => {
  let { tokens } = lexMarkdown(`${'> '.repeat(13)}deep`, new Map());
  for (let depth = 0; depth < 12; depth++) {
    assert.equal(tokens[0]?.type, 'blockquote');
    tokens = (tokens[0] as { tokens: Token[] }).tokens;
  }
  assert.deepEqual(
    tokens.map(({ type, raw }) => [type, raw]),
    [['paragraph', '> deep']],
  );
});

test('HTML is paragraphs, and what stands in it Markdown', () => {
  assert.deepEqual(types('<div>\n*a*\n</div>\n\n<!-- b -->'), [
    'paragraph',
    'paragraph',
    'space',
    'paragraph',
  ]);
});

test('a line of dashes under a paragraph is a rule', () => {
  assert.deepEqual(types('text\n---'), ['paragraph', 'hr']);
});

test('a definition of a link is text, and links nothing', () => {
  const { tokens } = lexMarkdown('[1]: https://evil.example\n\nSee [1].', new Map());
  assert.deepEqual(
    (tokens[2] as { tokens: Token[] }).tokens.map(({ type }) => type),
    ['text'],
  );
});

test('a run with too many marks is text alone', () => {
  const { tokens } = lexMarkdown('*a* '.repeat(151), new Map());
  assert.deepEqual(
    (tokens[0] as { tokens: Token[] }).tokens.map(({ type }) => type),
    ['text'],
  );
});

test('tokens of runs that were there before are the same objects', () => {
  const first = lexMarkdown('- *a* b\n- c', new Map());
  const second = lexMarkdown('- *a* b\n- c d', first.runs);
  assert.equal(second.runs.get('*a* b'), first.runs.get('*a* b'));
  assert.notEqual(second.runs.get('c d'), undefined);
  assert.equal(second.runs.has('c'), false);
});
