import assert from 'node:assert/strict';
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  createSecretDerivation,
  derivedToken,
  isTokenOf,
  tokenCheckOf,
} from './derived-token.rules.ts';

const SECRET = Buffer.alloc(32, 7);

test('the secret differs for each installation, API key and Idempotency-Key, and is otherwise the same', () => {
  const deriveSecret = createSecretDerivation(SECRET);
  const secrets = [
    deriveSecret('gh_a', 'a'),
    deriveSecret('gh_b', 'a'),
    deriveSecret('gh_a', 'b'),
    deriveSecret('gh_', 'aa'),
    deriveSecret('gh_aa', ''),
    createSecretDerivation(Buffer.alloc(32, 8))('gh_a', 'a'),
  ];
  assert.equal(new Set(secrets).size, secrets.length);
  for (const secret of secrets) assert.match(secret, /^[\w-]{43}$/);
  assert.equal(createSecretDerivation(SECRET)('gh_a', 'a'), secrets[0]);
});

test('the secret is an HMAC-SHA-256 with a key of its own, so later releases derive the same token', () => {
  const secrets = Array.from({ length: 200 }, () => randomBytes(32));
  for (const secret of [SECRET, ...secrets]) {
    const derived = hkdfSync('sha256', secret, '', 'gatehouse derived link tokens', 32);
    const hmac = createHmac('sha256', Buffer.from(derived).toString('base64url'));
    const expected = hmac.update('4:gh_aorder 42').digest('base64url');
    assert.equal(createSecretDerivation(secret)('gh_a', 'order 42'), expected);
  }
});

test('two requests with one secret get tokens with the same selector and different ends', () => {
  const secret = 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG';
  const [one, other] = ['1'.repeat(23), '2'.repeat(23)].map((end) => derivedToken(secret, end));
  assert.equal(one, `abcdefghijklmnopqrst${'1'.repeat(23)}`);
  assert.equal(other, `abcdefghijklmnopqrst${'2'.repeat(23)}`);
});

test('the stored hash of a token accepts only this token', () => {
  const token = derivedToken('s'.repeat(43), 'r'.repeat(23));
  const stored = tokenCheckOf(token);
  assert.match(stored, /^[\w-]{22}$/);
  assert.ok(isTokenOf(stored, token));
  for (const other of [`${token.slice(0, -1)}x`, token.slice(0, -1), `${token}r`, ''])
    assert.ok(!isTokenOf(stored, other), other);
  for (const broken of ['', stored.slice(1), `${stored}x`]) assert.ok(!isTokenOf(broken, token));
});
