import type { Settings } from '../../platform/settings/index.ts';
import { openStore } from '../../storage/index.ts';
import type { Database, Store } from '../../storage/ports/index.ts';
import { openAdminDatabase } from '../../storage/sqlite/index.ts';
import type { CommandContext } from './command.ts';

/** The store that the settings name, for this command alone where it is SQLite. */
export function openWhole(settings: Settings, report: CommandContext['report']): Promise<Store> {
  const fail = (error: unknown): never => {
    throw error;
  };
  return openStore(settings, Date.now, { onDeath: fail, onError: fail, onWarning: report });
}

/** Its small tables, also while the service runs. */
export async function openTables(
  settings: Settings,
  report: CommandContext['report'],
): Promise<AsyncDisposable & { readonly db: Database }> {
  return settings.databaseUrl === null ? openAdminDatabase(settings.dataDir) : openWhole(settings, report);
}
