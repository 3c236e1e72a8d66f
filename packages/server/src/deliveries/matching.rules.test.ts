import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMatcher, theOnly } from './matching.rules.ts';

test('an event is asked for by type and by source, each to the letter or by its beginning', () => {
  const all = createMatcher({ types: null, sources: null });
  assert.ok(all('a', 'urn:a'));
  const some = createMatcher({ types: ['a', 'b.*'], sources: ['urn:a', 'urn:b:*'] });
  for (const [type, source] of [
    ['a', 'urn:a'],
    ['b.', 'urn:a'],
    ['b.c.d', 'urn:b:c'],
  ] as const)
    assert.ok(some(type, source), `${type} ${source}`);
  for (const [type, source] of [
    ['A', 'urn:a'],
    ['ab', 'urn:a'],
    ['b', 'urn:a'],
    ['a', 'urn:aa'],
    ['a', 'urn:b'],
  ] as const)
    assert.ok(!some(type, source), `${type} ${source}`);
});

test('one star alone means all, and one inside is a letter', () => {
  assert.ok(createMatcher({ types: ['*'], sources: null })('anything', 'urn:a'));
  const inside = createMatcher({ types: ['a*b'], sources: null });
  assert.ok(inside('a*b', 'urn:a'));
  assert.ok(!inside('axb', 'urn:a'));
});

test('the store can look for one text alone', () => {
  assert.equal(theOnly(['a']), 'a');
  for (const patterns of [null, ['a', 'b'], ['a*']]) assert.equal(theOnly(patterns), undefined);
});
