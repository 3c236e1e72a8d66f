import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roundsOf } from '@gatehouse/filter/tests/campaign';
import fc from 'fast-check';
import { base64Problem } from './cloud-event.rules.ts';

// RFC 4648, section 10.
for (const text of ['', 'Zg==', 'Zm8=', 'Zm9v', 'Zm9vYg==', 'Zm9vYmE=', 'Zm9vYmFy', '+/+/']) {
  test(`accepts "${text}" as Base64`, () => assert.equal(base64Problem(text), null));
}

const bad = ['Zg', 'Zg=', 'Zg===', 'Z===', '====', 'Zh==', 'Zm9=', 'Zm9v\n', ' Zm9v', 'Zm 9'];
for (const text of [...bad, 'Zm-_', 'Zm9v=Zm9v===', 'Zg==Zg==', 'Zm9ñ', 'Zm9\u{1f600}', '=Zm9']) {
  test(`rejects ${JSON.stringify(text)} as Base64`, () =>
    assert.notEqual(base64Problem(text), null));
}

test('accepts a string if and only if decoding and encoding returns the same string', () => {
  const texts = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    fc.stringMatching(/^[A-Da-d0-3+/=_ -]{0,12}$/),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const encoded = Buffer.from(text, 'base64').toString('base64');
      assert.equal(base64Problem(text) === null, encoded === text, text);
    }),
    { numRuns: roundsOf(400, 2000) },
  );
});
