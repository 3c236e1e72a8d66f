import assert from 'node:assert/strict';
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createTokenDerivation } from './derived-token.rules.ts';

const SECRET = Buffer.alloc(32, 7);

test('the token differs for each installation, API key and Idempotency-Key, and is otherwise the same', () => {
  const deriveToken = createTokenDerivation(SECRET);
  const tokens = [
    deriveToken('gh_a', 'a'),
    deriveToken('gh_b', 'a'),
    deriveToken('gh_a', 'b'),
    deriveToken('gh_', 'aa'),
    deriveToken('gh_aa', ''),
    createTokenDerivation(Buffer.alloc(32, 8))('gh_a', 'a'),
  ];
  assert.equal(new Set(tokens).size, tokens.length);
  for (const token of tokens) assert.match(token, /^[\w-]{43}$/);
  assert.equal(createTokenDerivation(SECRET)('gh_a', 'a'), tokens[0]);
});

test('the token is an HMAC-SHA-256 with a key of its own, so later releases derive the same token', () => {
  const secrets = Array.from({ length: 200 }, () => randomBytes(32));
  for (const secret of [SECRET, ...secrets]) {
    const derived = hkdfSync('sha256', secret, '', 'gatehouse derived link tokens', 32);
    const hmac = createHmac('sha256', Buffer.from(derived).toString('base64url'));
    const expected = hmac.update('4:gh_aorder 42').digest('base64url');
    assert.equal(createTokenDerivation(secret)('gh_a', 'order 42'), expected);
  }
});
