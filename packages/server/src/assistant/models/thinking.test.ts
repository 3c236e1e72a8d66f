import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { ask, fake, textOf, untilError } from './asking.suite.ts';

beforeEach(() => fake.reset());

test('text between think tags is removed, however the text is split', async () => {
  for (const [text, expected] of [
    ['<think>hm</think>Yes.', 'Yes.'],
    ['Yes.<think>hm</think>', 'Yes.'],
    ['One.<think>hm</think>Two.<think></think>', 'One.\nTwo.'],
    ['<think>a</think><think>b < c </thin </think>Yes.', 'Yes.'],
    ['<think>without an end', ''],
    ['1 < 2, <thin and </think> are text <', '1 < 2, <thin and </think> are text <'],
  ] as const)
    for (const size of [1, 2, 3, 7, text.length]) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      fake.behave({ does: 'answer', pieces });
      const { parts } = await untilError(ask({}));
      assert.equal(textOf(parts), expected, `${text} in pieces of ${size}`);
    }
});

test('text is delayed only while it may be the start of a think tag', async () => {
  const texts: string[] = [];
  async function* pieces() {
    for (const [piece, shown] of [
      ['One <', 'One '],
      ['b> and', 'One <b> and'],
    ] as const) {
      yield piece;
      while (texts.join('') !== shown) await soon();
    }
  }
  fake.behave({ does: 'answer', pieces: pieces() });
  for await (const part of ask({})) if (part.kind === 'text') texts.push(part.text);
  assert.deepEqual(texts, ['One ', '<b> and']);
});
