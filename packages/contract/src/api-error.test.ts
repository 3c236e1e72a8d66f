import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidRequest } from './api-error.ts';
import { nameHint } from './nearest-name.ts';

test('invalidRequest returns a 400 error with a code, a message and the issue', () => {
  const error = invalidRequest('links', ['ttlSeconds: must be at least 60']);
  assert.equal(error.status, 400);
  assert.deepEqual(error.toBody(), {
    message: 'The request has a problem: ttlSeconds: must be at least 60.',
    code: 'links.invalid',
    issues: [{ message: 'ttlSeconds: must be at least 60' }],
  });
});

test('invalidRequest counts and lists all problems', () => {
  const { message, issues } = invalidRequest('events', ['auth: is required', 'a: unknown member']);
  assert.equal(message, 'The request has 2 problems: auth: is required; a: unknown member.');
  assert.deepEqual(issues, [{ message: 'auth: is required' }, { message: 'a: unknown member' }]);
});

test('invalidRequest can list the problems of an event instead of a request', () => {
  const { message } = invalidRequest('knowledge', ['data: is required'], 'event');
  assert.equal(message, 'The event has a problem: data: is required.');
});

test('the message of invalidRequest is one sentence if a problem contains a suggestion', () => {
  const problem = `ttl: unknown member${nameHint('ttl', ['ttlSeconds'])}`;
  const { message } = invalidRequest('links', [problem, 'sub: must be a string']);
  assert.equal(
    message,
    'The request has 2 problems: ttl: unknown member (did you mean ttlSeconds?); sub: must be a string.',
  );
  assert.ok(invalidRequest('links', [problem]).message.endsWith('(did you mean ttlSeconds?).'));
});

test('an error with more problems than it lists says so', () => {
  const problems = Array.from({ length: 101 }, (_, n) => `ids[${n}]: must be a UUID`);
  const all = invalidRequest('knowledge', problems.slice(0, 100));
  assert.ok(all.message.startsWith('The request has 100 problems: ids[0]'));
  const { message, issues } = invalidRequest('knowledge', problems);
  assert.ok(
    message.startsWith('The request has more than 100 problems; the first 100 are: ids[0]'),
  );
  assert.ok(message.endsWith('; ids[99]: must be a UUID.'));
  assert.deepEqual(issues, all.issues);
});
