import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { hostileText } from './markdown.arbitraries.ts';
import { closeUnfinished } from './unfinished.ts';

const SHOWN: readonly (readonly [written: string, shown: string])[] = [
  ['**bold', '**bold**'],
  ['**bold*', '**bold**'],
  ['**bold**', '**bold**'],
  ['a **', 'a'],
  ['a *b **c', 'a *b **c***'],
  ['***both', '***both***'],
  ['重点是**这', '重点是**这**'],
  ['2 * 3', '2 * 3'],
  ['2*3', '2*3'],
  ['snake_case', 'snake_case'],
  ['~~gone', '~~gone~~'],
  ['~5', '~5'],
  ['`let a', '`let a`'],
  ['``let a`', '``let a``'],
  ['**a `*b', '**a `*b`**'],
  ['`', ''],
  ['[the gui', 'the gui'],
  ['[the guide]', 'the guide'],
  ['[the guide](https://docs.ex', 'the guide'],
  ['[the guide](https://docs.example "A ti', 'the guide'],
  ['[the guide](https://docs.example) is', '[the guide](https://docs.example) is'],
  ['a [note] is', 'a [note] is'],
  ['f [x](no link because', 'f [x](no link because'],
  ['![a chart](https://docs.ex', ''],
  ['[![logo](https://a.example)](https://b', '![logo](https://a.example)'],
  ['so [1', 'so'],
  ['so [1, ', 'so'],
  ['so [1]', 'so [1]'],
  ['so 【', 'so'],
  ['so 【1, ', 'so'],
  ['so ［1］', 'so ［1］'],
  ['so [1][', 'so [1]'],
  ['see https://docs.example/a', 'see'],
  ['see (https://docs.example/a', 'see ('],
  ['see http', 'see'],
  ['see <https://docs.ex', 'see'],
  ['**https://docs.ex', ''],
  ['a &am', 'a'],
  ['a \\', 'a'],
  ['a \ud83d', 'a'],
  ['- one\n- **two', '- one\n- **two**'],
  ['**over\ntwo lines', '**over\ntwo lines**'],
  ['# A *head', '# A *head*'],
  ['> a *quote', '> a *quote*'],
  ['| a | b |\n|---|---|\n| **c', '| a | b |\n|---|---|\n| **c**'],
];

describe('unfinished Markdown', () => {
  for (const [written, shown] of SHOWN)
    test(`completes ${JSON.stringify(written)}`, () =>
      assert.equal(closeUnfinished(written), shown));
});

const HELD_BACK = [
  '-',
  '- ',
  '*',
  '1',
  '1.',
  '1. ',
  '#',
  '## ',
  '>',
  '---',
  '===',
  '`',
  '``',
  '|',
  '- [',
  '- [ ]',
  '- [x] ',
  '> - ',
  '12',
  '| a | b',
  '| a | b |',
  '| a | b |\n',
  '| a | b |\n|',
  '| a | b |\n|--',
  '| a | b |\n|---|---|',
];

describe('an ambiguous last line', () => {
  for (const line of HELD_BACK)
    test(`removes the last line ${JSON.stringify(line)}`, () => {
      assert.equal(closeUnfinished(line).trim(), '');
      assert.equal(closeUnfinished(`A text.\n${line}`).trim(), 'A text.');
    });
});

test('shows a table once its first two lines are complete', () => {
  const head = '| a | b |\n|---|---|\n';
  assert.equal(closeUnfinished(head).trim(), head.trim());
});

test('shows lines that start like a table but cannot become a table', () => {
  assert.equal(closeUnfinished('| a | b\n| c'), '| a | b\n| c');
  assert.equal(closeUnfinished('| a | b\n\n'), '| a | b\n\n');
});

test('shows incomplete code without a partial fence or language', () => {
  assert.equal(closeUnfinished('```'), '```');
  assert.equal(closeUnfinished('```j'), '```');
  assert.equal(closeUnfinished('```js\nlet **a'), '```js\nlet **a');
  assert.equal(closeUnfinished('```js\nlet a\n``'), '```js\nlet a');
  assert.equal(closeUnfinished('- a\n  ```\n  *b'), '- a\n  ```\n  *b');
  assert.equal(closeUnfinished('```\na\n```\n\n**b'), '```\na\n```\n\n**b**');
});

test('does not change a run of text that exceeds the length limit', () => {
  const text = `**${'a '.repeat(5_000)}`;
  assert.equal(closeUnfinished(text), text);
});

test('closeUnfinished never throws', () => {
  fc.assert(
    fc.property(hostileText, (text) => void closeUnfinished(text)),
    { numRuns: roundsOf(400, 2000) },
  );
});
