import type { ParseArgsOptionsConfig } from 'node:util';
import type { Settings } from '../../platform/settings/index.ts';
import { openStore } from '../../storage/index.ts';
import type { Database, Store } from '../../storage/ports/index.ts';
import { openAdminDatabase } from '../../storage/sqlite/index.ts';

export interface CommandContext {
  readonly settings: Settings;
  readonly options: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  /** Writes a line of the result to standard output. */
  readonly say: (line: string) => void;
  /** Writes a line of progress or a warning to standard error. */
  readonly report: (line: string) => void;
}

/** A command for operators. */
export interface Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** The options and the prerequisites, after the usage line. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  /** Throws `OperatorFailure` if the operator can fix the cause. */
  run(context: CommandContext): Promise<void>;
}

/** Opens the store of the settings. With SQLite no service may run. */
export function openWholeStore(
  settings: Settings,
  report: CommandContext['report'],
): Promise<Store> {
  const fail = (error: unknown): never => {
    throw error;
  };
  return openStore(settings, Date.now, { onDeath: fail, onError: fail, onWarning: report });
}

/** Opens the small tables of the store of the settings. The service may run. */
export async function openTables(
  settings: Settings,
  report: CommandContext['report'],
): Promise<AsyncDisposable & { readonly db: Database }> {
  return settings.databaseUrl === null
    ? openAdminDatabase(settings.dataDir)
    : openWholeStore(settings, report);
}
