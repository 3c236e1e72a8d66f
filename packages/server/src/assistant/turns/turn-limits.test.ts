import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import {
  createMemoryRateCounts,
  createMemorySemaphores,
} from '../../storage/single-process/index.ts';
import { createTurnLimits, type TurnRates } from './turn-limits.ts';

const limitsOf = (perMinute: TurnRates, clock = () => 0) =>
  createTurnLimits({
    perMinute,
    rates: createMemoryRateCounts(clock),
    semaphores: createMemorySemaphores(),
  });

const hasCode = (code: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError);
  assert.equal(error.code, code);
  assert.equal(error.status, 429);
  return true;
};

test('turns in any period of one minute are limited, and rejected turns are not counted', async () => {
  let now = 0;
  const limits = limitsOf({ person: 2, link: 3 }, () => now);
  const ada = { person: 'ada', link: 'a' };
  await limits.count(ada);
  now = 30_000;
  await limits.count(ada);
  now = 59_999;
  for (let n = 0; n < 5; n++)
    await assert.rejects(limits.count(ada), hasCode('chat.too-many-turns'));
  await limits.count({ person: 'bob', link: 'a' });
  await assert.rejects(limits.count({ person: 'eve', link: 'a' }), hasCode('chat.link-busy'));
  await limits.count({ person: 'eve', link: 'b' });
  now = 60_000;
  await limits.count(ada);
  await assert.rejects(limits.count(ada), hasCode('chat.too-many-turns'));
});

test('turns are not counted if there are no limits', async () => {
  const limits = limitsOf({ person: 0, link: 0 });
  for (let n = 0; n < 1000; n++) await limits.count({ person: 'ada', link: 'a' });
});

test('a person can have four concurrent turns, and a link twelve', async () => {
  const limits = limitsOf({ person: 0, link: 0 });
  const acquire = (n: number, person: string, link = 'a') =>
    limits.acquire({ person, link }, `conversation ${n}`);
  const releases: (() => void)[] = [];
  for (const person of ['ada', 'bob', 'eve'])
    for (let n = 0; n < 4; n++) releases.push(await acquire(releases.length, person));
  await assert.rejects(acquire(12, 'ada'), hasCode('chat.turn-running'));
  await assert.rejects(acquire(12, 'ada', 'b'), hasCode('chat.turn-running'));
  await assert.rejects(acquire(12, 'fay'), hasCode('chat.link-busy'));
  const elsewhere = await acquire(12, 'fay', 'b');
  elsewhere();
  releases[0]?.();
  releases.push(await acquire(12, 'fay'));
  await assert.rejects(acquire(13, 'fay'), hasCode('chat.link-busy'));
  for (const release of releases.slice(1)) release();
  for (let n = 0; n < 4; n++) await acquire(n, 'ada');
});
