import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionTimes } from './widget-session.service.ts';

const table = [
  ['lasts 15 minutes', 1e6, 10_000, { iat: 10, exp: 910, expiresIn: 900 }],
  [
    'lasts 15 minutes if it does not start at a whole second',
    1e6,
    10_999,
    { iat: 10, exp: 910, expiresIn: 900 },
  ],
  ['ends with its link', 100, 10_000, { iat: 10, exp: 100, expiresIn: 90 }],
  [
    'ends at the last whole second before the end of its link',
    100.9,
    10_000,
    { iat: 10, exp: 100, expiresIn: 90 },
  ],
  ['is not rounded past its link', 11.2, 10_900, { iat: 10, exp: 10, expiresIn: 0 }],
  [
    'has no seconds left in the last second of its link',
    10.5,
    10_000,
    { iat: 10, exp: 10, expiresIn: 0 },
  ],
  [
    'lasts 15 minutes if its link has a huge exp',
    1e300,
    10_000,
    { iat: 10, exp: 910, expiresIn: 900 },
  ],
] as const;

for (const [words, linkExp, now, times] of table)
  test(`a session ${words}`, () => {
    assert.deepEqual(sessionTimes(linkExp, now), times);
  });
