import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionTimes } from './widget-session.service.ts';

const table = [
  ['lives 15 minutes', 1e6, 10_000, { iat: 10, exp: 910, expiresIn: 900 }],
  [
    'lives 15 minutes from the middle of a second',
    1e6,
    10_999,
    { iat: 10, exp: 910, expiresIn: 900 },
  ],
  ['ends with its link', 100, 10_000, { iat: 10, exp: 100, expiresIn: 90 }],
  ['ends before its link in whole seconds', 100.9, 10_000, { iat: 10, exp: 100, expiresIn: 90 }],
  ['is not rounded past its link', 11.2, 10_900, { iat: 10, exp: 10, expiresIn: 0 }],
  ['has nothing left in the last second', 10.5, 10_000, { iat: 10, exp: 10, expiresIn: 0 }],
  ['lives 15 minutes under a huge exp', 1e300, 10_000, { iat: 10, exp: 910, expiresIn: 900 }],
] as const;

for (const [words, linkExp, now, times] of table)
  test(`a session ${words}`, () => {
    assert.deepEqual(sessionTimes(linkExp, now), times);
  });
