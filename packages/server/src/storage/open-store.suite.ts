import { ON_POSTGRES } from '../../tests/support/backend.ts';
import type { Store } from './ports/store.ts';
import { newDatabase } from './postgres/database.suite.ts';
import { openStore as openPostgres } from './postgres/open-store.suite.ts';
import { openStore as openSqlite, temporaryDirectory } from './sqlite/open-store.suite.ts';

/** Location of a test's store. A closed store can be reopened there. */
export interface StoreLocation extends Disposable {
  /** A store in which nothing may go wrong in the background. */
  open(): Promise<Store>;
}

/** Creates a storage location for one test, on the engine of the run; see `scripts/tests/tiers.ts`. */
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
