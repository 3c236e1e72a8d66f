import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageUnavailable } from '../../lib/threads/storage-errors.ts';
import { turnFailure } from './turn-failure.rules.ts';

test('a store with too much to do is no answer that could not be kept, but one to ask for again', () => {
  const busy = turnFailure(new StorageUnavailable('overloaded'), 'request');
  assert.deepEqual([busy.code, busy.retriable], ['chat.answer-overloaded', true]);
  const full = turnFailure(new StorageUnavailable('unwritable'), 'request');
  assert.equal(full.code, 'chat.not-kept');
});
