import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { createResponseText } from './response-text.rules.ts';

const BYTES = Buffer.from('fb7c/+'.repeat(5), 'base64').subarray(0, 22);
const SECRET = BYTES.toString('base64');
const textOf = createResponseText([{ key: createSecretKey(BYTES), endsAt: null }]);
const recorded = (text: string | Uint8Array, isCut = false) =>
  textOf({ bytes: Buffer.from(text as string), isCut });

test('redacts the signing secret in every notation, and other credentials', () => {
  assert.match(SECRET, /\/.*\+.*==$/);
  for (const text of [
    SECRET,
    SECRET.replaceAll('=', ''),
    SECRET.replaceAll('/', '\\/'),
    encodeURIComponent(SECRET),
    BYTES.toString('base64url'),
    `whsec_${SECRET}`,
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    `v1,${'K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='}`,
  ])
    assert.equal(recorded(`a ${text} b`), 'a [redacted] b', text);
  for (const [text, wanted] of [
    ['{"Authorization":"Bearer abc123"}', '{"Authorization":"[redacted]"}'],
    ['{\\"authorization\\":\\"Basic eDp5\\"}', '{\\"authorization\\":\\"[redacted]\\"}'],
    ['Authorization: Token abc\nnext', 'Authorization: [redacted]\nnext'],
    ['invalid bearer abcdefgh', 'invalid bearer [redacted]'],
  ] as const)
    assert.equal(recorded(text), wanted);
});

test('records at most 1,024 bytes and no part of a character', () => {
  assert.equal(recorded('x'.repeat(2000))?.length, 1024);
  assert.equal(recorded('xü'.repeat(700)), `${'xü'.repeat(341)}x`);
  assert.equal(recorded(''), null);
  assert.equal(recorded(Uint8Array.of(0x61, 0xff)), 'a\ufffd');
});

test('records no part of a secret at the end of a body that was cut', () => {
  const start = 'a'.repeat(1000);
  assert.equal(recorded(`${start}${SECRET.slice(0, 20)}`, true), start.slice(0, 1000 + 20 - 256));
});
