import { ON_POSTGRES } from '../../tests/support/backend.ts';
import type { Store } from './ports/store.ts';
import { newDatabase } from './postgres/database.suite.ts';
import { openStore as openPostgres } from './postgres/open-store.suite.ts';
import { openStore as openSqlite, temporaryDirectory } from './sqlite/open-store.suite.ts';

/** Where the store of a test lies; when it was closed, it can be opened there again. */
export interface Place extends Disposable {
  /** A store in which nothing may go wrong in the background. */
  open(): Promise<Store>;
}

/** A place of its own for a test of a room, in the backend of the run; see `scripts/test.sh`. */
export async function newStoreLocation(): Promise<Place> {
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
