import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageUnavailable } from '../../lib/threads/storage-errors.ts';
import { turnFailure } from './turn-failure.rules.ts';

test('overloaded storage is reported as overload, and unwritable storage as an answer that could not be saved', () => {
  const busy = turnFailure(new StorageUnavailable('overloaded'), 'request');
  assert.deepEqual([busy.code, busy.retriable], ['chat.answer-overloaded', true]);
  const full = turnFailure(new StorageUnavailable('unwritable'), 'request');
  assert.equal(full.code, 'chat.not-kept');
});
