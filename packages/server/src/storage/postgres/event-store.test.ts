import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { postgresIsMissing } from '@gatehouse/filter/tests/postgres';
import { eventStoreSuite } from '../ports/event-store.suite.ts';
import { newDatabase } from './database.suite.ts';
import { openStore } from './open-store.suite.ts';

if (postgresIsMissing !== undefined)
  test('stores events in PostgreSQL', { skip: postgresIsMissing });
else
  eventStoreSuite('PostgreSQL', async () => {
    const url = await newDatabase();
    let store = await openStore(url);
    return {
      get events() {
        return store.events;
      },
      addSpace: async () => {
        const id = randomUUID();
        await store.db.insertInto('spaces').values({ id, name: id, created_at: 1 }).execute();
        return id;
      },
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
