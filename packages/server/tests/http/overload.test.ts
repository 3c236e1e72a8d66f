import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { feedIds, idsOf, ingest, makeEvents, postEvents } from '../support/events/events.ts';
import type { ClientResponse } from '../support/http/client.ts';
import { startChildWithSpace } from '../support/services/service-with-space.ts';
import { connectTo, ON_POSTGRES } from '../support/storage/backend.ts';

const QUEUE_BYTES = 8 * 1024 * 1024;
const BATCH_BYTES = 2_000_000;
const FITTING = Math.floor(QUEUE_BYTES / BATCH_BYTES);
const BATCHES = 16;

const { client, key, dataDir, service, ...shop } = await startChildWithSpace({
  env: { GATEHOUSE_EVENTS_QUEUE_BYTES: String(QUEUE_BYTES) },
});
after(() => shop[Symbol.asyncDispose]());

/** Blocks all writes of the service until disposed, like a slow disk. */
function blockWrites(directory: string): Promise<AsyncDisposable> {
  return ON_POSTGRES ? holdTables(directory) : holdFile(directory);
}

async function holdFile(directory: string): Promise<AsyncDisposable> {
  const db = new DatabaseSync(join(directory, 'gatehouse.db'));
  db.exec('begin immediate');
  return {
    [Symbol.asyncDispose]: async () => {
      db.exec('rollback');
      db.close();
    },
  };
}

async function holdTables(directory: string): Promise<AsyncDisposable> {
  const client = await connectTo(directory);
  await client.query('begin');
  await client.query('lock table event_batches, links in exclusive mode');
  return { [Symbol.asyncDispose]: () => client.end() };
}

function assertOverloaded({ status, headers, json, text }: ClientResponse): void {
  assert.equal(status, 503, text);
  assert.equal(json['code'], 'http.overloaded');
  assert.equal(headers.get('retry-after'), '1');
}

test('batches that exceed the write queue are rejected immediately, and queued batches are stored', async () => {
  const batches = Array.from({ length: BATCHES }, () =>
    makeEvents(20, { data: 'x'.repeat(BATCH_BYTES / 20) }),
  );
  const rejected: number[] = [];
  const enough = Promise.withResolvers<void>();
  const held = await blockWrites(dataDir);
  const answers = batches.map(async (events, index) => {
    const answer = await postEvents(client, { as: key, body: { events } });
    if (answer.status !== 200) rejected.push(index);
    // The queued requests wait until the store can write again.
    if (rejected.length >= BATCHES - FITTING) enough.resolve();
    return answer;
  });
  await Promise.race([enough.promise, Promise.all(answers)]);
  await held[Symbol.asyncDispose]();

  const statuses = await Promise.all(answers);
  assert.ok(rejected.length >= BATCHES - FITTING, 'more batches waited than the queue can hold');
  assert.ok(rejected.length < BATCHES, 'no batch waited');
  for (const index of rejected) assertOverloaded(statuses[index] as ClientResponse);
  const taken = batches.filter((_, index) => !rejected.includes(index));
  assert.deepEqual((await feedIds(client, key)).toSorted(), idsOf(taken.flat()).toSorted());

  for (const index of rejected)
    await ingest(client, { as: key, body: { events: batches[index] ?? [] } });
  assert.deepEqual((await feedIds(client, key)).toSorted(), idsOf(batches.flat()).toSorted());
});

test('a single batch of any size is accepted if the queue is empty', async () => {
  const events = makeEvents(1, { data: 'x'.repeat(QUEUE_BYTES - 1000) });
  assert.equal((await ingest(client, { as: key, body: { events } })).success, true);
});

test('a request that is rejected because the service is overloaded does not count toward the limit of its key', async () => {
  await using limited = await startChildWithSpace({
    env: {
      GATEHOUSE_EVENTS_QUEUE_BYTES: String(QUEUE_BYTES),
      GATEHOUSE_RATE_LIMIT_EVENTS_KEY: '1',
    },
  });
  const batch = {
    as: limited.key,
    body: { events: makeEvents(100, { data: 'x'.repeat(20_000) }) },
  };
  const held = await blockWrites(limited.dataDir);
  // The limit of the key does not apply to the session that fills the queue.
  const filling = Array.from({ length: FITTING + 2 }, () =>
    postEvents(
      limited.client,
      { as: limited.session, body: { events: makeEvents(1, { data: 'x'.repeat(BATCH_BYTES) }) } },
      `?spaceId=${limited.space.id}`,
    ),
  );
  assertOverloaded(await Promise.race(filling));
  assertOverloaded(await postEvents(limited.client, batch));
  assertOverloaded(await postEvents(limited.client, batch));
  await held[Symbol.asyncDispose]();
  await Promise.all(filling);
  assert.equal((await ingest(limited.client, batch)).processed, 100);
});
