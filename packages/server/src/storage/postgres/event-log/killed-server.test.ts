import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { DatabaseServer } from '../../../../tests/storage/faults/database-server.ts';
import { StorageUnavailable } from '../../../lib/threads/storage-errors.ts';
import { batchOf, idsOf, numbered } from '../../ports/event-batch.suite.ts';
import type { EventBatch } from '../../ports/event-store.ts';
import { openReplica } from './replica.suite.ts';

const ROUNDS = 6;
const CLIENTS = 6;

interface Sent {
  readonly names: readonly string[];
  readonly batches: () => EventBatch[];
}

test('every acknowledged request is stored completely and exactly once although PostgreSQL is killed repeatedly', {
  skip: postgresIsMissing,
}, async (t) => {
  await using server = await DatabaseServer.make();
  await server.sql('create database events template template0');
  await using replica = await openReplica(server.url('events'));
  const { events } = replica.store;
  const spaces = [await replica.addSpace(), await replica.addSpace()];
  const acknowledged: Sent[] = [];
  const broken: Sent[] = [];
  let made = 0;

  function makeRequest(): Sent {
    made += 1;
    const sent = numbered(1, randomInt(1, 30), `r${made}.`);
    return {
      names: sent.map(({ id }) => id),
      batches: () => spaces.map((spaceId) => batchOf(spaceId, sent)),
    };
  }

  async function sendUntilFailure(): Promise<void> {
    for (;;) {
      const request = makeRequest();
      try {
        const { stored } = await events.append(request.batches());
        // If the answer to an attempt was lost, the events of that attempt count as duplicates on the retry.
        assert.ok(stored === 2 * request.names.length || stored === 0);
        acknowledged.push(request);
      } catch (error) {
        assert.ok(error instanceof StorageUnavailable, String(error));
        broken.push(request);
        return;
      }
    }
  }

  async function waitForStore(): Promise<void> {
    for (let attempts = 0; attempts < 500; attempts += 1) {
      const answered = await events.heads().then(
        () => true,
        () => false,
      );
      if (answered) return;
      await sleep(20);
    }
    assert.fail('the store did not recover');
  }

  for (let round = 0; round < ROUNDS; round += 1) {
    const clients = Array.from({ length: CLIENTS }, sendUntilFailure);
    await sleep(randomInt(50, 400));
    await server.stop('kill');
    await Promise.all(clients);
    await server.start();
    await waitForStore();
    const feeds = await Promise.all(
      spaces.map(async (spaceId) => idsOf(events, { spaceId, limit: 1000 })),
    );
    const kept = feeds.map((ids) => new Set(ids));
    for (const [place, ids] of feeds.entries()) {
      assert.equal(kept[place]?.size, ids.length, 'an event is stored twice');
      const lost = acknowledged.flatMap(({ names }) => names).filter((id) => !kept[place]?.has(id));
      assert.deepEqual(lost, [], 'an acknowledged event is lost');
    }
    for (const { names } of broken) {
      const isStored = names.flatMap((id) => kept.map((ids) => ids.has(id)));
      assert.equal(new Set(isStored).size, 1, 'a request is stored partially');
    }
    // A client that receives no answer sends its request again.
    for (const request of broken.splice(0)) {
      await events.append(request.batches());
      acknowledged.push(request);
    }
  }
  const total = acknowledged.reduce((sum, { names }) => sum + names.length, 0);
  for (const spaceId of spaces) assert.equal(await events.newest(spaceId), total);
  t.diagnostic(`${acknowledged.length} requests, ${total} events in each space`);
});
