import { openStore } from '../../packages/server/src/storage/open-store.ts';
import type { Store } from '../../packages/server/src/storage/ports/store.ts';
import { backendOf } from '../../packages/server/tests/support/backend.ts';

/**
 * Opens what a service that is started on this directory keeps everything in, PostgreSQL where
 * `GATEHOUSE_TEST_BACKEND` says so; with the embedded store the service must not run.
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
    Date.now,
    { onDeath: fail, onError: fail, onWarning: () => {} },
  );
}
