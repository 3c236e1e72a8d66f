import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passagesOf } from '../documents.suite.ts';
import { nestingOf, piecesOf } from './markdown-pieces.ts';

const PARAGRAPH = `${'Some words of a paragraph. '.repeat(20)}\n\n`;
const LONG = PARAGRAPH.repeat(500);

test('the nesting of quotes and lists is measured in any notation', () => {
  const depths = [
    ['text', 0],
    ['> > > text', 3],
    ['>>> text', 3],
    ['- - 1. text', 3],
    ['text\n> - text\n', 2],
    [`${' '.repeat(41)}- text`, 21],
    [`${' '.repeat(400)}text`, 0],
  ] as const;
  for (const [text, depth] of depths) assert.equal(nestingOf(text, 1000), depth, text);
});

test('a thematic break of many marks is not nested', () => {
  assert.equal(nestingOf(`> ${'- '.repeat(500)}`, 100), 2);
  assert.ok(nestingOf(`${'- '.repeat(500)}a`, 100) > 100);
});

test('joining the pieces of a long text returns the original text', () => {
  const pieces = [...piecesOf(LONG)];
  assert.ok(pieces.length > 1);
  assert.equal(pieces.join(''), LONG);
  assert.deepEqual([...piecesOf('short')], ['short']);
});

test('a text is never split inside a code block, a comment, a list or a quote', () => {
  const inside = PARAGRAPH.repeat(500);
  const nested = (prefix: string) => inside.replace(/^(?=.)/gm, prefix);
  for (const block of [
    `\`\`\`\n${inside}\`\`\`\n`,
    `~~~~ text\n\`\`\`\n${inside}~~~\n~~~~\n`,
    `<!--\n${inside}-->\n`,
    `<pre>\n${inside}</pre>\n`,
    `- item\n\n${nested('  ')}`,
    nested('> '),
  ])
    assert.equal([...piecesOf(block)].length, 1, block.slice(0, 20));
});

test('a long document has the same passages as its parts, and references across pieces are resolved', async () => {
  const type = 'text/markdown';
  const text = `See [the guide][guide].\n\n${LONG}# Part\n\n- a\n- b\n\nSee [more][] text.\n\n${LONG}\n[guide]: /a\n[More]: /b\n`;
  const passages = await passagesOf(text, type);
  assert.match(passages[0] ?? '', /^See the guide\./);
  assert.ok(passages.some((passage) => /^Part: - a\n- b\n\nSee more text\./.test(passage)));
});
