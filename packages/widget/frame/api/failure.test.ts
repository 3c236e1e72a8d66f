import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from './failure.ts';

test('maps an error code of the service to the message with the same name', () => {
  assert.deepEqual(failureOf('chat.answer-stalled', true), {
    name: 'answer-stalled',
    retriable: true,
    seconds: null,
  });
  assert.equal(failureOf('chat.too-many-turns', true, 7).seconds, 7);
});

test('maps any other code to a general message that depends on whether a retry may succeed', () => {
  for (const code of [
    'chat.internal',
    'http.not-found',
    'answer-stalled',
    'chat.toString',
    '',
    7,
    undefined,
  ]) {
    assert.equal(failureOf(code, true).name, 'other');
    assert.equal(failureOf(code, false).name, 'answer-refused');
    assert.equal(failureOf(code, true, null, 'answer-overloaded').name, 'answer-overloaded');
  }
});
