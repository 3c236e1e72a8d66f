import type { Clock } from '../lib/scheduling/index.ts';
import type { Store } from './ports/store.ts';
import { openSqlite } from './sqlite/index.ts';

export interface StoreSettings {
  /** Null: the embedded store, in the data directory. */
  readonly databaseUrl: { reveal(): string } | null;
  readonly databaseConnections: number;
  readonly dataDir: string;
  readonly eventsQueueBytes: number;
}

export interface StoreNews {
  /** The store cannot go on, and the process should end. */
  readonly onDeath: (error: Error) => void;
  /** Background work failed; it is tried again later, at the next start at the latest. */
  readonly onError: (error: unknown) => void;
  /** What the operator should know of a database server. */
  readonly onWarning: (text: string) => void;
}

/** Opens the store that the settings name. PostgreSQL's client is loaded where it is used. */
export async function openStore(
  settings: StoreSettings,
  clock: Clock,
  news: StoreNews,
): Promise<Store> {
  const { databaseUrl, databaseConnections, dataDir, eventsQueueBytes: queueBytes } = settings;
  if (databaseUrl === null) return openSqlite({ directory: dataDir, queueBytes, clock, ...news });
  const { openPostgres } = await import('./postgres/index.ts');
  const url = databaseUrl.reveal();
  return openPostgres({ url, connections: databaseConnections, queueBytes, clock, ...news });
}
