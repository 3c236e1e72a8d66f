import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base64Fault } from './cloud-event.rules.ts';

// RFC 4648, section 10.
for (const text of ['', 'Zg==', 'Zm8=', 'Zm9v', 'Zm9vYg==', 'Zm9vYmE=', 'Zm9vYmFy', '+/+/']) {
  test(`"${text}" is Base64`, () => assert.equal(base64Fault(text), null));
}

const bad = ['Zg', 'Zg=', 'Zg===', 'Z===', '====', 'Zh==', 'Zm9=', 'Zm9v\n', ' Zm9v', 'Zm 9'];
for (const text of [...bad, 'Zm-_', 'Zm9v=Zm9v===', 'Zg==Zg==', 'Zm9ñ', 'Zm9\u{1f600}', '=Zm9']) {
  test(`${JSON.stringify(text)} is no Base64`, () => assert.notEqual(base64Fault(text), null));
}

test('a string is Base64 exactly when decoding and encoding gives it again', () => {
  const texts = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    fc.stringMatching(/^[A-Da-d0-3+/=_ -]{0,12}$/),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const again = Buffer.from(text, 'base64').toString('base64');
      assert.equal(base64Fault(text) === null, again === text, text);
    }),
    { numRuns: 2000 },
  );
});
