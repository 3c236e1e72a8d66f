import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ParsedMetadata } from './parsed-metadata.ts';

const large = (word: string) => JSON.stringify({ word, text: 'x'.repeat(100_000) });

/** Parses a text for each of many documents, twice. Returns the number of documents that were remembered from the first time. */
function countRemembered(text: string, documents: number): number {
  const parsed = new ParsedMetadata();
  const first = Array.from({ length: documents }, (_, number) => parsed.parse(number, text));
  return first.filter((metadata, number) => parsed.parse(number, text) === metadata).length;
}

test('remembers large metadata of a document until it changes', () => {
  const parsed = new ParsedMetadata();
  const first = parsed.parse(1, large('old'));
  assert.equal(first['word'], 'old');
  assert.equal(parsed.parse(1, large('old')), first);
  assert.equal(parsed.parse(1, large('new'))['word'], 'new');
  assert.equal(parsed.parse(2, large('old'))['word'], 'old');
});

test('the memory of the remembered metadata is bounded, whatever the metadata contains', () => {
  const ofLongTexts = countRemembered(large('word'), 200);
  assert.ok(ofLongTexts >= 50 && ofLongTexts <= 83, `${ofLongTexts} documents`);
  const emptyObjects = JSON.stringify({ list: Array.from({ length: 20_000 }, () => ({})) });
  const ofEmptyObjects = countRemembered(emptyObjects, 30);
  assert.ok(ofEmptyObjects >= 3 && ofEmptyObjects <= 5, `${ofEmptyObjects} documents`);
});

test('remembers other documents after the cache is full', () => {
  const parsed = new ParsedMetadata();
  for (let number = 0; number < 200; number += 1) parsed.parse(number, large('word'));
  const times = Array.from({ length: 20 }, () => parsed.parse(1000, large('other')));
  assert.equal(times.at(-1), times.at(-2));
});
