import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from './failure.ts';

test('a failure that the service names has words of its own', () => {
  assert.deepEqual(failureOf('chat.answer-stalled', true), {
    name: 'answer-stalled',
    retriable: true,
    seconds: null,
  });
  assert.equal(failureOf('chat.too-many-turns', true, 7).seconds, 7);
});

test('any other says whether to try again, as far as that is known', () => {
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
