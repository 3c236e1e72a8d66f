import type { Clock } from '../lib/scheduling/index.ts';
import { NO_READ_LIMITS, type ReadLimits } from '../lib/threads/index.ts';
import type { QueryReport, Store } from './ports/store.ts';
import { openSqlite } from './sqlite/index.ts';

export interface StoreSettings {
  /** Connection URL of PostgreSQL. Null selects SQLite in the data directory. */
  readonly databaseUrl: { reveal(): string } | null;
  readonly databaseConnections: number;
  readonly dataDir: string;
  readonly eventsQueueBytes: number;
}

export interface StoreCallbacks {
  /** The store failed permanently. The process should exit. */
  readonly onDeath: (error: Error) => void;
  /** Background work failed. The store retries it later, at the latest after a restart. */
  readonly onError: (error: unknown) => void;
  /** Reports a problem of the database server to the operator. */
  readonly onWarning: (text: string) => void;
  /** See `Store.clock`. Default: `Date.now`, or the clock of the PostgreSQL database. */
  readonly clock?: Clock;
  /** Limits of searches and other long reads. Default: no time budgets. */
  readonly readLimits?: ReadLimits;
  /** Called after each statement of the tables outside `knowledge`. */
  readonly onQuery?: (report: QueryReport) => void;
  /** Version of the service that this process runs. Operator commands omit it, so they do not count as replicas. */
  readonly version?: string;
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
