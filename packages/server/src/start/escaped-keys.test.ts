import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confusesEscapedKeys } from './escaped-keys.ts';

test('the JSON parser of Node does not confuse keys with escapes', () => {
  assert.equal(confusesEscapedKeys(), false);
});
