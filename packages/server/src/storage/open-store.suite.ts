import { ON_POSTGRES } from '../../tests/support/storage/backend.ts';
import type { Store } from './ports/store.ts';
import { newDatabase } from './postgres/database.suite.ts';
import { openStore as openPostgres } from './postgres/open-store.suite.ts';
import { openStore as openSqlite, temporaryDirectory } from './sqlite/open-store.suite.ts';

export interface StoreLocation extends Disposable {
  /**
   * Opens the store.
   *
   * @param onError receives failures of background work. Default: a failure fails the test.
   */
  open(onError?: (error: unknown) => void): Promise<Store>;
}

/** Creates a storage location for one test. The test run selects SQLite or PostgreSQL; see `scripts/tests/tiers.ts`. */
export async function newStoreLocation(): Promise<StoreLocation> {
  if (ON_POSTGRES) {
    const url = await newDatabase();
    return {
      open: (onError) => openPostgres(url, onError === undefined ? {} : { onError }),
      [Symbol.dispose]: () => {},
    };
  }
  const directory = temporaryDirectory();
  return {
    open: (onError) => openSqlite(directory.path, onError === undefined ? {} : { onError }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

/** Opens a new store. Closing it also deletes its location. */
export async function openNewStore(): Promise<Store> {
  const location = await newStoreLocation();
  const store = await location.open();
  return {
    ...store,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      location[Symbol.dispose]();
    },
  };
}
