import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Library } from './written.ts';

test('no word of the soak contains another word', () => {
  const library = new Library();
  const words = Array.from({ length: 1200 }, () => library.add().word);
  const pairs = words.flatMap((word) =>
    words.filter((other) => other !== word && other.includes(word)).map((other) => [word, other]),
  );
  assert.deepEqual(pairs, []);
});
