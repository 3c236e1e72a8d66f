import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createTokenSealer, hmacWith } from './sealed-token.rules.ts';

test('the HMAC equals the one of the standard library', () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(key, fc.string({ unit: 'binary', maxLength: 200 }), (secret, text) =>
      hmacWith(secret)(text).equals(createHmac('sha256', secret).update(text).digest()),
    ),
  );
});

test('the encrypted form of a token differs for each token, API key and Idempotency-Key', () => {
  const { seal } = createTokenSealer(Buffer.alloc(32, 7));
  const token = Buffer.alloc(32, 1).toString('base64url');
  const other = Buffer.alloc(32, 2).toString('base64url');
  const keys = { apiKey: 'gh_a', key: 'a' };
  const sealed = [
    seal(token, 'hash', keys),
    seal(other, 'other hash', keys),
    seal(token, 'hash', { ...keys, apiKey: 'gh_b' }),
    seal(token, 'hash', { ...keys, key: 'b' }),
    token,
  ];
  assert.equal(new Set(sealed).size, sealed.length);
});
