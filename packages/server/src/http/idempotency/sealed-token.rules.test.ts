import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTokenSealer } from './sealed-token.rules.ts';

test('the encrypted form of a token differs for each token, API key, Idempotency-Key and request', () => {
  const { seal } = createTokenSealer(Buffer.alloc(32, 7));
  const token = Buffer.alloc(32, 1).toString('base64url');
  const other = Buffer.alloc(32, 2).toString('base64url');
  const request = (body: string) => (text: string) => Buffer.from(text + body);
  const keys = { apiKey: 'gh_a', key: 'a', bytesAfter: request('a') };
  const sealed = [
    seal(token, 'hash', keys),
    seal(other, 'other hash', keys),
    seal(token, 'hash', { ...keys, apiKey: 'gh_b' }),
    seal(token, 'hash', { ...keys, key: 'b' }),
    seal(token, 'hash', { ...keys, bytesAfter: request('b') }),
    token,
  ];
  assert.equal(new Set(sealed).size, sealed.length);
});
