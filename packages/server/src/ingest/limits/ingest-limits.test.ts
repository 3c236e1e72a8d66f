import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@gatehouse/contract';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import type { Clock } from '../../lib/scheduling/index.ts';
import { newDatabase } from '../../storage/postgres/database.suite.ts';
import { openStore } from '../../storage/postgres/open-store.suite.ts';
import type { Authorisation } from '../credentials/authorisation.ts';
import type { ReadEvent } from '../formats/read-event.rules.ts';
import { createIngestLimits, type IngestLimits } from './ingest-limits.ts';

const RATES = { eventsOfKey: 0, bytesOfKey: 0, eventsOfSpace: 1, bytesOfSpace: 0 };

/** Returns 0 if the request is accepted, otherwise the seconds until a retry. */
async function send(limits: IngestLimits, spaceId: string, count: number): Promise<number> {
  const authorisation: Authorisation = {
    accepted: true,
    spaceId,
    keyId: null,
    signed: true,
    writesKnowledge: false,
  };
  const events = Array.from({ length: count }, (_, index) => ({ index, start: 0, end: 1 }));
  try {
    await limits.take(
      events as unknown as ReadEvent[],
      events.map(() => authorisation),
    );
    return 0;
  } catch (error) {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 'events.rate-limited');
    return Number(error.headers['retry-after']);
  }
}

test('replicas share the limit of a space', {
  skip: postgresIsMissing,
}, async () => {
  await using opened = new AsyncDisposableStack();
  const url = await newDatabase();
  const open = async () => {
    const store = opened.use(await openStore(url));
    const { buckets } = store.shared;
    assert.ok(buckets !== null);
    return opened.use(
      createIngestLimits({
        rates: RATES,
        clock: Date.now,
        shared: buckets,
        onError: (error) => assert.fail(String(error)),
      }),
    );
  };
  const [one, other] = [await open(), await open()];
  assert.equal(await send(one, 'busy', 1000), 0);
  assert.ok((await send(one, 'busy', 1)) > 900);
  for (let tries = 0; (await send(other, 'busy', 1)) < 900; tries += 1) {
    assert.ok(tries < 200);
    await sleep(50);
  }
  assert.equal(await send(other, 'quiet', 1), 0);
});

function limitsWith(clock: Clock): IngestLimits {
  return createIngestLimits({
    rates: RATES,
    clock,
    shared: null,
    onError: (error) => assert.fail(String(error)),
  });
}

test('repeated rejections of a space are delayed, and those of another space are not', async () => {
  await using limits = limitsWith(() => 0);
  const [busy, other] = ['busy', 'other'];
  for (const space of [busy, other]) assert.equal(await send(limits, space, 10), 0);
  const order: string[] = [];
  const reject = async (space: string) => {
    assert.ok((await send(limits, space, 1)) > 0);
    order.push(space);
  };
  await Promise.all([busy, busy, busy, other].map(reject));
  assert.deepEqual(order, [busy, other, busy, busy]);
});

test('a request is accepted if its limit permits it after the delay of a rejection', async () => {
  let now = 0;
  await using limits = limitsWith(() => now);
  assert.equal(await send(limits, 'busy', 10), 0);
  const waiting = [send(limits, 'busy', 1), send(limits, 'busy', 1)];
  assert.ok(((await waiting[0]) ?? 0) > 0);
  now = 60_000;
  assert.equal(await waiting[1], 0);
});
