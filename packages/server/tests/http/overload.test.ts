import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { connectTo, ON_POSTGRES } from '../support/backend.ts';
import type { Answer } from '../support/client.ts';
import { feedIds, idsOf, ingest, makeEvents, postEvents } from '../support/events.ts';
import { openShop } from '../support/shop.ts';

const QUEUE_BYTES = 8 * 1024 * 1024;
const BATCH_BYTES = 2_000_000;
const FITTING = Math.floor(QUEUE_BYTES / BATCH_BYTES);
const BATCHES = 16;

const { client, key, dataDir, service, ...shop } = await openShop({
  env: { GATEHOUSE_EVENTS_QUEUE_BYTES: String(QUEUE_BYTES) },
});
after(() => shop[Symbol.asyncDispose]());

/** Keeps the service from writing, as a slow disk would, until it is disposed. */
function holdTheDisk(): Promise<AsyncDisposable> {
  return ON_POSTGRES ? holdTables() : holdFile();
}

async function holdFile(): Promise<AsyncDisposable> {
  const db = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  db.exec('begin immediate');
  return {
    [Symbol.asyncDispose]: async () => {
      db.exec('rollback');
      db.close();
    },
  };
}

async function holdTables(): Promise<AsyncDisposable> {
  const client = await connectTo(dataDir);
  await client.query('begin');
  await client.query('lock table event_batches, links in exclusive mode');
  return { [Symbol.asyncDispose]: () => client.end() };
}

function assertOverloaded({ status, headers, json, text }: Answer): void {
  assert.equal(status, 503, text);
  assert.equal(json['code'], 'http.overloaded');
  assert.equal(headers.get('retry-after'), '1');
}

test('more than may wait for the disk is refused at once, and what waits is kept', async () => {
  const batches = Array.from({ length: BATCHES }, () =>
    makeEvents(20, { data: 'x'.repeat(BATCH_BYTES / 20) }),
  );
  const refused: number[] = [];
  const enough = Promise.withResolvers<void>();
  const held = await holdTheDisk();
  const answers = batches.map(async (events, index) => {
    const answer = await postEvents(client, { as: key, body: { events } });
    if (answer.status !== 200) refused.push(index);
    // The others wait: they are answered when the disk is free again.
    if (refused.length >= BATCHES - FITTING) enough.resolve();
    return answer;
  });
  await Promise.race([enough.promise, Promise.all(answers)]);
  await held[Symbol.asyncDispose]();

  const statuses = await Promise.all(answers);
  assert.ok(refused.length >= BATCHES - FITTING, 'more waited than may wait');
  assert.ok(refused.length < BATCHES, 'nothing waited');
  for (const index of refused) assertOverloaded(statuses[index] as Answer);
  const taken = batches.filter((_, index) => !refused.includes(index));
  assert.deepEqual((await feedIds(client, key)).toSorted(), idsOf(taken.flat()).toSorted());

  for (const index of refused)
    await ingest(client, { as: key, body: { events: batches[index] ?? [] } });
  assert.deepEqual((await feedIds(client, key)).toSorted(), idsOf(batches.flat()).toSorted());
});

test('whatever its size, one batch is taken when nothing else waits', async () => {
  const events = makeEvents(1, { data: 'x'.repeat(QUEUE_BYTES - 1000) });
  assert.equal((await ingest(client, { as: key, body: { events } })).success, true);
});
