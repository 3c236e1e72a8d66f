import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseClock } from './database-clock.ts';

const FIVE_MINUTES = 300_000;

test('the time follows the clock of the database, not the clock of the machine', async () => {
  let own = 1_000_000;
  const clock = new DatabaseClock(() => own);
  for (const ahead of [FIVE_MINUTES, -FIVE_MINUTES]) {
    await clock.measure(async () => own + ahead);
    assert.ok(Math.abs(clock.now() - (own + ahead)) <= 1);
    own += 60_000;
    assert.ok(Math.abs(clock.now() - (own + ahead)) <= 1);
  }
});

test('a slow answer of the database does not change the time', async () => {
  let own = 1_000_000;
  const clock = new DatabaseClock(() => own);
  for (const [before, after] of [
    [0, 4000],
    [4000, 0],
    [1, 1],
  ] as const) {
    await clock.measure(async () => {
      own += before;
      const databaseNow = own;
      own += after;
      return databaseNow;
    });
    assert.equal(clock.now(), own);
  }
});
