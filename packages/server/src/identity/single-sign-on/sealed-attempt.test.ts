import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSealer } from '../../platform/secrets/index.ts';
import { createAttempt, openAttempt, sealAttempt } from './attempt.rules.ts';

const sealer = createSealer(Buffer.alloc(32, 1), 'test');

test('an attempt is valid for ten minutes, and only for the installation that sealed it', () => {
  const attempt = createAttempt('/console', 1000);
  const sealed = sealAttempt(sealer, attempt);
  assert.deepEqual(openAttempt(sealer, sealed, 600_999), attempt);
  assert.equal(openAttempt(sealer, sealed, 601_000), null);
  const other = createSealer(Buffer.alloc(32, 2), 'test');
  assert.equal(openAttempt(other, sealed, 1000), null);
  assert.equal(openAttempt(sealer, `${sealed}x`, 1000), null);
  assert.equal(openAttempt(sealer, '', 1000), null);
});

test('the random values of attempts differ', () => {
  const [one, other] = [createAttempt('/', 0), createAttempt('/', 0)];
  const values = [one, other].flatMap(({ state, nonce, verifier }) => [state, nonce, verifier]);
  assert.equal(new Set(values).size, 6);
  // The length that PKCE requires (RFC 7636).
  for (const value of values) assert.match(value, /^[A-Za-z0-9_-]{43}$/);
});
