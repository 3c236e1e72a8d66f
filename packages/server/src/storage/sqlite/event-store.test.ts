import { randomUUID } from 'node:crypto';
import { addSpace } from '../ports/add-space.suite.ts';
import { eventStoreSuite } from '../ports/event-store.suite.ts';
import { openStore, temporaryDirectory } from './open-store.suite.ts';

eventStoreSuite('SQLite', async () => {
  const directory = temporaryDirectory();
  let store = await openStore(directory.path);
  return {
    get events() {
      return store.events;
    },
    addSpace: async () => {
      const id = randomUUID();
      await addSpace(store, id);
      return id;
    },
    dropSpace: async (id) => {
      await store.db.deleteFrom('spaces').where('id', '=', id).execute();
    },
    reopen: async () => {
      await store[Symbol.asyncDispose]();
      store = await openStore(directory.path);
    },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      directory[Symbol.dispose]();
    },
  };
});
