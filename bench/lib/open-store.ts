import { openStore } from '../../packages/server/src/storage/open-store.ts';
import type { Store } from '../../packages/server/src/storage/ports/store.ts';
import { backendOf } from '../../packages/server/tests/support/storage/backend.ts';

/**
 * Opens the store of the service that uses this directory. The store is on PostgreSQL if `GATEHOUSE_TEST_BACKEND` is set. Otherwise it is
 * the embedded store, and the service must not run at the same time.
 */
export async function openStoreOf(directory: string): Promise<Store> {
  const { GATEHOUSE_DATABASE_URL: url } = await backendOf(directory);
  const fail = (error: unknown): never => {
    throw error;
  };
  return openStore(
    {
      databaseUrl: url === undefined ? null : { reveal: () => url },
      databaseConnections: 10,
      dataDir: directory,
      eventsQueueBytes: 256 * 1024 * 1024,
    },
    { onDeath: fail, onError: fail, onWarning: () => {} },
  );
}
