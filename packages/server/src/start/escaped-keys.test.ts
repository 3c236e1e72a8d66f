import assert from 'node:assert/strict';
import { test } from 'node:test';
import { confusesEscapedKeys } from './escaped-keys.ts';

/** The newest package of Node for this platform is 26.12.0, on which we did not run this test. */
const skip = process.arch === 'arm64' && 'the corrected version of Node has no package for arm64';

test('the JSON parser of Node does not confuse keys with escapes', { skip }, () => {
  assert.equal(confusesEscapedKeys(), false);
});
