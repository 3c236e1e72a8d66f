import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Thinking } from './thinking.ts';

function said(pieces: Iterable<string>): string {
  const thinking = new Thinking();
  return [...pieces].map((piece) => thinking.read(piece)).join('') + thinking.end();
}

test('what stands between the tags is not said, however the text is parted', () => {
  for (const [text, expected] of [
    ['<think>hm</think>Yes.', 'Yes.'],
    ['Yes.<think>hm</think>', 'Yes.'],
    ['One.<think>hm</think>Two.<think></think>', 'One.\nTwo.'],
    ['<think>a</think><think>b < c </thin </think>Yes.', 'Yes.'],
    ['<think>without an end', ''],
    ['1 < 2, <thin and </think> are text <', '1 < 2, <thin and </think> are text <'],
  ] as const)
    for (let size = 1; size <= text.length; size++)
      assert.equal(said(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []), expected, text);
});

test('nothing is held back but what may be the beginning of a tag', () => {
  const thinking = new Thinking();
  assert.equal(thinking.read('One <'), 'One ');
  assert.equal(thinking.read('b> and'), '<b> and');
});
