import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

/** The newest package of Node for this platform is 26.12.0, on which we did not run this test. */
const skip = process.arch === 'arm64' && 'the corrected version of Node has no package for arm64';

/** Parses two texts in a new context, which has parsed nothing before. Returns the key of the second one. */
function keyAfter(before: string, text: string): unknown {
  return runInNewContext('JSON.parse(before), Object.keys(JSON.parse(text))[0]', { before, text });
}

// https://github.com/nodejs/node/issues/63785: a key with an escape became another key, which an earlier text contained.
test('the JSON parser of Node does not confuse keys with escapes', { skip }, () => {
  assert.equal(keyAfter('{"\\\\":0}', '{"\\"":0}'), '"');
  assert.equal(keyAfter('{"\\\\n":0}', '{"\\na":0}'), '\na');
});
