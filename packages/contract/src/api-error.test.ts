import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidRequest } from './api-error.ts';

test('an invalid request is a 400 of its feature, with the problem as its message and its issue', () => {
  const error = invalidRequest('links', ['ttlSeconds: must be at least 60']);
  assert.equal(error.status, 400);
  assert.deepEqual(error.toBody(), {
    message: 'The request has a problem: ttlSeconds: must be at least 60.',
    code: 'links.invalid',
    issues: [{ message: 'ttlSeconds: must be at least 60' }],
  });
});

test('an invalid request counts its problems and names all of them', () => {
  const { message, issues } = invalidRequest('events', ['auth: is required', 'a: unknown member']);
  assert.equal(message, 'The request has 2 problems: auth: is required; a: unknown member.');
  assert.deepEqual(issues, [{ message: 'auth: is required' }, { message: 'a: unknown member' }]);
});

test('the message can be about an event instead of a request', () => {
  const { message } = invalidRequest('knowledge', ['data: is required'], 'event');
  assert.equal(message, 'The event has a problem: data: is required.');
});
