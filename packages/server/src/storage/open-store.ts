import { NO_READ_LIMITS } from '../lib/threads/index.ts';
import type { Store, StoreOptions } from './ports/store.ts';
import { openSqlite } from './sqlite/index.ts';

export interface StoreSettings {
  /** Connection URL of PostgreSQL. Null selects SQLite in the data directory. */
  readonly databaseUrl: { reveal(): string } | null;
  readonly databaseConnections: number;
  readonly dataDir: string;
  readonly eventsQueueBytes: number;
}

export interface StoreCallbacks extends Omit<StoreOptions, 'queueBytes'> {
  /** The store failed permanently. The process should exit. */
  readonly onDeath: (error: Error) => void;
  /** Reports a problem of the database server to the operator. */
  readonly onWarning: (text: string) => void;
}

/** Opens the configured store. Loads the PostgreSQL client only if it is needed. */
export async function openStore(
  settings: StoreSettings,
  { readLimits = NO_READ_LIMITS, ...callbacks }: StoreCallbacks,
): Promise<Store> {
  const { databaseUrl, databaseConnections, dataDir, eventsQueueBytes: queueBytes } = settings;
  if (databaseUrl === null)
    return openSqlite({ directory: dataDir, queueBytes, readLimits, ...callbacks });
  const { openPostgres } = await import('./postgres/index.ts');
  const url = databaseUrl.reveal();
  return openPostgres({
    url,
    connections: databaseConnections,
    queueBytes,
    readLimits,
    ...callbacks,
  });
}
