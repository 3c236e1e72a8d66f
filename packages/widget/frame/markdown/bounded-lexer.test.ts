import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Token } from 'marked';
import { lexMarkdown } from './bounded-lexer.ts';

const LENGTH = 65_536;
const fill = (piece: string) => piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH);
const columns = 8_000;

/** Without limits, marked overflows the stack for some of these texts and takes many seconds for other texts. */
const PATHOLOGICAL: Readonly<Record<string, string>> = {
  'quotes in quotes': fill('>'),
  'quotes in quotes with spaces': fill('> '),
  'lists in lists': fill('- '),
  'numbered lists in lists': fill('1. '),
  'lists in quotes in lists': fill('- > '),
  'lists with increasing indentation': Array.from(
    { length: 360 },
    (_, at) => `${' '.repeat(at)}- a\n`,
  ).join(''),
  'quotes with lazy lines': fill('> a\na\n'),
  'lists in quotes with lazy lines': fill('> - a\nb\n'),
  'an item with many lines': `- a\n${fill('b\n')}`,
  'lines that look like HTML': fill('<!--\n'),
  brackets: fill('['),
  'image brackets': fill('!['),
  'brackets in brackets': '['.repeat(LENGTH / 2) + ']'.repeat(LENGTH / 2),
  'incomplete links': `${fill('[a](b')})`,
  'incomplete links with titles': fill('[a](b "'),
  emphasis: fill('*a '),
  'emphasis in emphasis': '*a '.repeat(LENGTH / 6) + ' a*'.repeat(LENGTH / 6),
  'emphasis with two delimiters': fill('*a_ '),
  'emphasis in words': fill('*a**b '),
  'code delimiters': Array.from({ length: 360 }, (_, at) => `${'`'.repeat(at + 1)}a`).join(' '),
  'incomplete mail addresses': `${'a.'.repeat(LENGTH / 2)}@`,
  'addresses with trailing dots': `http://a${fill('.')}`,
  'addresses with brackets': `http://a${fill('()')}`,
  'a wide table with empty rows': `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(columns)}`,
  'a table with many rows': `|a|b|\n|-|-|\n${fill('|\n')}`,
  'table headers': fill('|-|\n'),
  'setext headings': fill('a\n=\n'),
  definitions: fill('[a]: b\n'),
  backslashes: fill('\\'),
  references: fill('&a;'),
  'dollar signs': fill('$'),
  'opening dollar signs': fill('$a '),
  'dollar signs with formulas': fill('$\\ab '),
  'lines of dollar signs': fill('$$\n'),
  'lines of dollar signs and text': fill('$$\na\n'),
  'opening parentheses of formulas': fill('\\('),
  'opening brackets of formulas': fill('\\[\n'),
  'formulas without an end': fill('\\(a_{'),
  'many formulas': fill('$a$ '),
};

/** Returns the number of objects in a value, at any depth. */
function count(value: unknown): number {
  const all = Array.isArray(value) ? value : Object.values(value as object);
  return all.reduce(
    (sum: number, part) => sum + (typeof part === 'object' && part !== null ? 1 + count(part) : 0),
    0,
  );
}

describe('pathological text of 64 Ki characters', () => {
  for (const [name, text] of Object.entries(PATHOLOGICAL))
    test(`lexes pathological text: ${name}`, () => {
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

test('nests quotes and lists at most twelve levels deep', () => {
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

test('parses HTML as Markdown paragraphs', () => {
  assert.deepEqual(types('<div>\n*a*\n</div>\n\n<!-- b -->'), [
    'paragraph',
    'paragraph',
    'space',
    'paragraph',
  ]);
});

test('a line of dashes after a paragraph is a thematic break', () => {
  assert.deepEqual(types('text\n---'), ['paragraph', 'hr']);
});

test('treats a link definition as text', () => {
  const { tokens } = lexMarkdown('[1]: https://evil.example\n\nSee [1].', new Map());
  assert.deepEqual(
    (tokens[2] as { tokens: Token[] }).tokens.map(({ type }) => type),
    ['text'],
  );
});

test('does not format a run of text with too many delimiters', () => {
  const { tokens } = lexMarkdown('*a* '.repeat(151), new Map());
  assert.deepEqual(
    (tokens[0] as { tokens: Token[] }).tokens.map(({ type }) => type),
    ['text'],
  );
});

test('reuses the tokens of runs that occurred in the previous text', () => {
  const first = lexMarkdown('- *a* b\n- c', new Map());
  const second = lexMarkdown('- *a* b\n- c d', first.runs);
  assert.equal(second.runs.get('*a* b'), first.runs.get('*a* b'));
  assert.notEqual(second.runs.get('c d'), undefined);
  assert.equal(second.runs.has('c'), false);
});
