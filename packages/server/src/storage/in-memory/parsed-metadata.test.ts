import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParsedMetadata } from './parsed-metadata.ts';

const large = (word: string) => JSON.stringify({ word, text: 'x'.repeat(100_000) });

test('remembers large metadata of a document until it changes', () => {
  const parsed = new ParsedMetadata();
  const first = parsed.parse(1, large('old'));
  assert.equal(first['word'], 'old');
  assert.equal(parsed.parse(1, large('old')), first);
  assert.equal(parsed.parse(1, large('new'))['word'], 'new');
  assert.equal(parsed.parse(2, large('old'))['word'], 'old');
});

test('does not remember more than four million characters', () => {
  const parsed = new ParsedMetadata();
  const first = parsed.parse(0, large('word'));
  for (let document = 1; document <= 50; document += 1) parsed.parse(document, large('word'));
  assert.notEqual(parsed.parse(0, large('word')), first);
  assert.equal(parsed.parse(50, large('word')), parsed.parse(50, large('word')));
});
