import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldMetadata } from './fold-metadata.ts';

test('strings are folded at any depth, keys and all else are as they were', () => {
  assert.deepEqual(
    foldMetadata({
      Team: 'HR',
      Tags: ['ÉA', 1, null, ['ΑΣ']],
      Owner: { Name: 'ADA' },
      Draft: true,
    }),
    { Team: 'hr', Tags: ['éa', 1, null, ['ας']], Owner: { Name: 'ada' }, Draft: true },
  );
});

test('a key __proto__ stays a key', () => {
  const folded = foldMetadata(JSON.parse('{"__proto__": {"A": "B"}}'));
  assert.equal(JSON.stringify(folded), '{"__proto__":{"A":"b"}}');
});

test('metadata of 1,000 levels is folded', () => {
  const text = `${'{"A":'.repeat(1000)}"B"${'}'.repeat(1000)}`;
  assert.equal(JSON.stringify(foldMetadata(JSON.parse(text))), text.replace('"B"', '"b"'));
});
