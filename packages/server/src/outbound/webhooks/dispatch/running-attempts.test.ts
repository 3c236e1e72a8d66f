import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunningAttempts } from './running-attempts.ts';

type Kind = 'new' | 'due' | 'replay';

/** Lanes that contain deliveries of the given kinds and record which kinds were requested. */
function lanesOf(...ready: readonly Kind[]) {
  const started: Kind[] = [];
  const start = (kind: Kind) => {
    if (!ready.includes(kind)) return undefined;
    started.push(kind);
    return undefined;
  };
  return { started, lanes: { start } };
}

const limits = { maxRunning: 8, mayTryNew: true };
const replayed = { row: 'none', isReplayed: true } as const;
const fresh = { row: 'none', isReplayed: false } as const;
const stored = { row: 'stored', isReplayed: false } as const;

test('replayed deliveries use at most a quarter of the attempts', () => {
  const attempts = new RunningAttempts();
  const requested = () => {
    const { started, lanes } = lanesOf('replay');
    attempts.startNext(lanes, limits);
    return started;
  };
  const ends = [attempts.add(replayed), attempts.add(replayed)];
  assert.deepEqual(requested(), []);
  ends[0]?.();
  assert.deepEqual(requested(), ['replay']);
});

test('only due deliveries are attempted while new deliveries must not be tried', () => {
  const { started, lanes } = lanesOf('new', 'due', 'replay');
  new RunningAttempts().startNext(lanes, { maxRunning: 8, mayTryNew: false });
  assert.deepEqual(started, ['due']);
});

test('counts attempts, and those of new deliveries separately', () => {
  const attempts = new RunningAttempts();
  const ends = [attempts.add(fresh), attempts.add(stored), attempts.add(replayed)];
  assert.deepEqual([attempts.count, attempts.newCount], [3, 2]);
  for (const end of ends) end();
  assert.deepEqual([attempts.count, attempts.newCount], [0, 0]);
});

test('waiting ends when the last attempt has ended, or after the time limit', async () => {
  const attempts = new RunningAttempts();
  await attempts.waitUntilIdle(60_000);
  const end = attempts.add(fresh);
  await attempts.waitUntilIdle(1);
  assert.equal(attempts.count, 1);
  let isIdle = false;
  const idle = attempts.waitUntilIdle(60_000).then(() => {
    isIdle = true;
  });
  attempts.reportIdle();
  await new Promise(setImmediate);
  assert.equal(isIdle, false);
  end();
  attempts.reportIdle();
  await idle;
});
