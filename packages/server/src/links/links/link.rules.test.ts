import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateOf } from './link.rules.ts';

const table = [
  ['is active before its exp', { exp: 100, revokedAt: null }, 99_999, 'active'],
  ['is expired at its exp', { exp: 100, revokedAt: null }, 100_000, 'expired'],
  ['respects the fraction of its exp', { exp: 100.5, revokedAt: null }, 100_499, 'active'],
  [
    'stays active with a huge exp',
    { exp: 1e300, revokedAt: null },
    Number.MAX_SAFE_INTEGER,
    'active',
  ],
  ['is revoked immediately', { exp: 100, revokedAt: 50_000 }, 50_000, 'revoked'],
  ['stays revoked after its exp', { exp: 100, revokedAt: 50_000 }, 200_000, 'revoked'],
  [
    'stays expired if it is revoked after its exp',
    { exp: 100, revokedAt: 100_000 },
    200_000,
    'expired',
  ],
  [
    'stays expired if it was revoked after its exp and the clock was set back',
    { exp: 100, revokedAt: 100_000 },
    50_000,
    'expired',
  ],
] as const;

for (const [words, lifetime, now, state] of table)
  test(`a link ${words}`, () => {
    assert.equal(stateOf(lifetime, now), state);
  });
