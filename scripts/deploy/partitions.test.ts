import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { postgresIsMissing } from '../../packages/filter/tests/postgres.ts';
import { batchOf, numbered } from '../../packages/server/src/storage/ports/event-batch.suite.ts';
import { eventStoreSuite } from '../../packages/server/src/storage/ports/event-store.suite.ts';
import type { Store } from '../../packages/server/src/storage/ports/store.ts';
import { newDatabase } from '../../packages/server/src/storage/postgres/database.suite.ts';
import { openStore } from '../../packages/server/src/storage/postgres/open-store.suite.ts';
import { textOf } from './files.ts';

async function partition(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(textOf('partitions.sql')).finally(() => client.end());
}

async function addSpace({ db }: Store): Promise<string> {
  const id = randomUUID();
  await db.insertInto('spaces').values({ id, name: id, created_at: 1 }).execute();
  return id;
}

const options = { skip: postgresIsMissing ?? false };

test('partitioning preserves stored events and still recognises duplicates', options, async () => {
  const url = await newDatabase();
  let spaceId = '';
  {
    await using store = await openStore(url);
    spaceId = await addSpace(store);
    await store.events.append([batchOf(spaceId, numbered(1, 50))]);
  }
  await partition(url);
  await using store = await openStore(url);
  const { stored } = await store.events.append([batchOf(spaceId, numbered(41, 60))]);
  assert.equal(stored, 10);
  assert.equal(await store.events.newest(spaceId), 60);
});

if (postgresIsMissing === undefined)
  eventStoreSuite('PostgreSQL with partitions', async () => {
    const url = await newDatabase();
    await (await openStore(url))[Symbol.asyncDispose]();
    await partition(url);
    let store = await openStore(url);
    return {
      get events() {
        return store.events;
      },
      addSpace: () => addSpace(store),
      dropSpace: async (id) => {
        await store.db.deleteFrom('spaces').where('id', '=', id).execute();
      },
      reopen: async () => {
        await store[Symbol.asyncDispose]();
        store = await openStore(url);
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  });
