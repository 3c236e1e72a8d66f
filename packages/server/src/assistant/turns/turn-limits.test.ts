import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@gatehouse/contract';
import { createMemoryRateCounts, createMemorySemaphores } from '../../storage/memory/index.ts';
import { createTurnLimits, type TurnRates } from './turn-limits.ts';

const limitsOf = (perMinute: TurnRates, clock = () => 0) =>
  createTurnLimits({
    perMinute,
    rates: createMemoryRateCounts(clock),
    semaphores: createMemorySemaphores(),
  });

const refusedAs = (code: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError);
  assert.equal(error.code, code);
  assert.equal(error.status, 429);
  return true;
};

test('a minute is any minute, and what was refused does not count', async () => {
  let now = 0;
  const limits = limitsOf({ person: 2, link: 3 }, () => now);
  const ada = { person: 'ada', link: 'a' };
  await limits.count(ada);
  now = 30_000;
  await limits.count(ada);
  now = 59_999;
  for (let n = 0; n < 5; n++)
    await assert.rejects(limits.count(ada), refusedAs('chat.too-many-turns'));
  await limits.count({ person: 'bob', link: 'a' });
  await assert.rejects(limits.count({ person: 'eve', link: 'a' }), refusedAs('chat.link-busy'));
  await limits.count({ person: 'eve', link: 'b' });
  now = 60_000;
  await limits.count(ada);
  await assert.rejects(limits.count(ada), refusedAs('chat.too-many-turns'));
});

test('without limits nothing is counted', async () => {
  const limits = limitsOf({ person: 0, link: 0 });
  for (let n = 0; n < 1000; n++) await limits.count({ person: 'ada', link: 'a' });
});

test('one person has four answers under way and one link twelve, and each that ends makes room', async () => {
  const limits = limitsOf({ person: 0, link: 0 });
  const enter = (n: number, person: string, link = 'a') =>
    limits.enter({ person, link }, `conversation ${n}`);
  const leaving: (() => void)[] = [];
  for (const person of ['ada', 'bob', 'eve'])
    for (let n = 0; n < 4; n++) leaving.push(await enter(leaving.length, person));
  await assert.rejects(enter(12, 'ada'), refusedAs('chat.turn-running'));
  await assert.rejects(enter(12, 'ada', 'b'), refusedAs('chat.turn-running'));
  await assert.rejects(enter(12, 'fay'), refusedAs('chat.link-busy'));
  const elsewhere = await enter(12, 'fay', 'b');
  elsewhere();
  leaving[0]?.();
  leaving.push(await enter(12, 'fay'));
  await assert.rejects(enter(13, 'fay'), refusedAs('chat.link-busy'));
  for (const leave of leaving.slice(1)) leave();
  for (let n = 0; n < 4; n++) await enter(n, 'ada');
});
