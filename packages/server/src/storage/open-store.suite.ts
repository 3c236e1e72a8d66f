import { ON_POSTGRES } from '../../tests/support/storage/backend.ts';
import type { Store } from './ports/store.ts';
import { newDatabase } from './postgres/database.suite.ts';
import { openStore as openPostgres } from './postgres/open-store.suite.ts';
import { openStore as openSqlite, temporaryDirectory } from './sqlite/open-store.suite.ts';

export interface StoreLocation extends Disposable {
  /** Opens the store. A failure of background work fails the test. */
  open(): Promise<Store>;
}

/** Creates a storage location for one test. The test run selects SQLite or PostgreSQL; see `scripts/tests/tiers.ts`. */
export async function newStoreLocation(): Promise<StoreLocation> {
  if (ON_POSTGRES) {
    const url = await newDatabase();
    return { open: () => openPostgres(url), [Symbol.dispose]: () => {} };
  }
  const directory = temporaryDirectory();
  return {
    open: () => openSqlite(directory.path),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}
