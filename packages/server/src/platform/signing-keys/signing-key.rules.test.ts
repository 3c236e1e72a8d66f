import assert from 'node:assert/strict';
import { sign, verify } from 'node:crypto';
import { test } from 'node:test';
import { newSigningKeyText, parseSigningKey, thumbprint } from './signing-key.rules.ts';

test('the ID of a key is its RFC 7638 thumbprint (example of RFC 8037, A.3)', () => {
  const kid = thumbprint('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo');
  assert.equal(kid, 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
});

test('the public key verifies signatures and contains no private members', () => {
  const key = parseSigningKey(newSigningKeyText());
  assert.ok(key);
  const signature = sign(null, Buffer.from('claims'), key.privateKey);
  const published = { format: 'jwk', key: { ...key.publicJwk } } as const;
  assert.ok(verify(null, Buffer.from('claims'), published, signature));
  assert.deepEqual(Object.keys(key.publicJwk).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x']);
});

test('rejects a string that is not a complete key pair whose private and public keys match', () => {
  const jwk = JSON.parse(newSigningKeyText());
  const other = JSON.parse(newSigningKeyText());
  for (const text of [
    '',
    'null',
    '{"d":',
    JSON.stringify({ ...jwk, d: undefined }),
    JSON.stringify({ ...jwk, x: other.x }),
    JSON.stringify({ ...jwk, kid: other.kid }),
    JSON.stringify({ ...jwk, crv: 'X25519' }),
  ])
    assert.equal(parseSigningKey(text), undefined, text);
});
