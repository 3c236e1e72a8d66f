import assert from 'node:assert/strict';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import type { ValidEvent } from '../../ingest/formats/read-event.rules.ts';
import { createMetrics } from '../../platform/metrics/index.ts';
import { newDatabase } from '../../storage/postgres/database.suite.ts';
import { openStore } from '../../storage/postgres/open-store.suite.ts';
import { publishCounts } from './count-publishing.ts';
import { minuteOf, type SpaceCounts, sum } from './counts.ts';
import { createTally } from './tally.ts';

const MINUTE_MS = 60_000;
const start = Date.now();

async function openReplica(
  url: string,
  clock: () => number,
  listeners: Record<string, number> = {},
) {
  await using opened = new AsyncDisposableStack();
  const store = opened.use(await openStore(url));
  assert.ok(store.shared.eventCounts !== null);
  const tally = createTally(createMetrics(), clock, { count: () => {} });
  const counts = opened.use(
    publishCounts({
      shared: store.shared.eventCounts,
      tally,
      live: { counts: () => new Map(Object.entries(listeners)) },
      clock,
      onError: (error) => assert.fail(String(error)),
    }),
  );
  const all = opened.move();
  return {
    counts,
    accept: (spaceId: string, type: string, amount: number) => {
      const events = Array.from({ length: amount }, () => ({ type, source: 'urn:x' }));
      const space = { spaceId, events: events as ValidEvent[], bytes: 10 * amount };
      tally.answered({ receivedAt: clock(), spaces: [space], stored: amount, failures: [] });
    },
    fail: (spaceId: string) => {
      const failures = [{ spaceId, reason: 'invalid' as const }];
      tally.answered({ receivedAt: clock(), spaces: [], stored: 0, failures });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function shown(counts: SpaceCounts, minute: number) {
  return {
    accepted: counts.accepted.read(minute).slice(-3),
    bytes: sum(counts.bytes.read(minute)),
    types: counts.types.read(minute).map(({ name, counts: each }) => [name, sum(each)]),
    failures: [...counts.failures].map(([reason, each]) => [reason, sum(each.read(minute))]),
  };
}

test('a replica shows the counts of all replicas by minute', {
  skip: postgresIsMissing,
}, async () => {
  const url = await newDatabase();
  let now = start;
  const clock = () => now;
  await using one = await openReplica(url, clock);
  {
    await using other = await openReplica(url, clock);
    other.accept('a', 'made', 3);
    other.accept('b', 'made', 100);
    now += MINUTE_MS;
    other.accept('a', 'sent', 4);
    other.fail('a');
  }
  one.accept('a', 'made', 10);
  {
    await using third = await openReplica(url, clock);
    third.accept('a', 'gone', 1);
  }
  const minute = minuteOf(now);
  const wanted = {
    accepted: [0, 3, 15],
    bytes: 180,
    types: [
      ['made', 13],
      ['sent', 4],
      ['gone', 1],
    ],
    failures: [['invalid', 1]],
  };
  assert.deepEqual(shown(await one.counts.of('a'), minute), wanted);
  assert.deepEqual(
    shown(await one.counts.of('a'), minute),
    wanted,
    'a second read returns the same counts',
  );
  assert.ok(one.counts.since <= Date.now());
  now += 58 * MINUTE_MS;
  assert.deepEqual(sum((await one.counts.of('a')).accepted.read(minuteOf(now))), 18);
  now += MINUTE_MS;
  assert.deepEqual(sum((await one.counts.of('a')).accepted.read(minuteOf(now))), 15);
});

test('after the clock is set back, a replica does not show counts of other replicas in later minutes', {
  skip: postgresIsMissing,
}, async () => {
  const url = await newDatabase();
  let now = start + 180 * MINUTE_MS;
  const clock = () => now;
  await using one = await openReplica(url, clock);
  {
    await using other = await openReplica(url, clock);
    other.accept('a', 'made', 3);
  }
  now = start;
  one.accept('a', 'made', 10);
  assert.deepEqual((await one.counts.of('a')).accepted.read(minuteOf(now)).at(-1), 10);
});

test('counts the listeners of other live replicas', {
  skip: postgresIsMissing,
}, async () => {
  const url = await newDatabase();
  await using one = await openReplica(url, Date.now, { a: 2 });
  assert.equal(await one.counts.listeners('a'), 2);
  const store = await openStore(url);
  await store.shared.eventCounts?.putListeners(new Map([['a', 3]]));
  assert.equal(await one.counts.listeners('a'), 5);
  assert.equal(await one.counts.listeners('b'), 0);
  await store[Symbol.asyncDispose]();
  assert.equal(await one.counts.listeners('a'), 2);
});
