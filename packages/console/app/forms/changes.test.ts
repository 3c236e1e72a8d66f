import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, mergeChanges } from './changes.ts';

test('the changes of a draft are the members with another value', () => {
  const base = { name: 'Shop', budget: null as object | null, tags: ['a'] };
  assert.deepEqual(changesOf(base, { ...base }), {});
  assert.deepEqual(changesOf(base, { name: 'Store', budget: { tokens: 1 }, tags: ['a'] }), {
    name: 'Store',
    budget: { tokens: 1 },
  });
});

test('a merge changes and removes only the keys that the draft changed', () => {
  const base = { audience: ['customers'], team: 'red', old: true };
  const draft = { audience: ['customers'], team: 'blue', added: 1 };
  const current = { audience: ['staff'], team: 'red', old: true, secret: true };
  assert.deepEqual(mergeChanges<unknown>(current, base, draft), {
    audience: ['staff'],
    secret: true,
    team: 'blue',
    added: 1,
  });
});

test('a merge keeps keys that have the name of a member of all objects', () => {
  const base = JSON.parse('{}');
  const draft = JSON.parse('{"__proto__":"a","constructor":"b"}');
  assert.equal(
    JSON.stringify(mergeChanges({}, base, draft)),
    '{"__proto__":"a","constructor":"b"}',
  );
});
