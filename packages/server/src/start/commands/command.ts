import type { ParseArgsOptionsConfig } from 'node:util';
import type { Settings } from '../../platform/settings/index.ts';
import { openStore } from '../../storage/index.ts';
import type { Store } from '../../storage/ports/index.ts';
import { openAdminDatabase } from '../../storage/sqlite/index.ts';

export interface CommandContext {
  readonly settings: Settings;
  readonly options: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  /** Writes a line of progress or a warning to standard error. */
  readonly report: (line: string) => void;
}

/** The result of a command, for programs and for people. */
export interface CommandResult {
  /** Printed with `--json`. */
  readonly value: object;
  /** Printed without `--json`. */
  readonly lines: readonly string[];
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Help text after the usage line: options and prerequisites. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  /** The option that the positional argument sets. If omitted, the command has no positional argument. */
  readonly positional?: { readonly option: string; readonly placeholder: string };
  /** Throws `OperatorFailure` if the operator can fix the cause. */
  run(context: CommandContext): Promise<CommandResult>;
}

/** Opens the configured store. With SQLite, the service must not be running. */
export function openWholeStore(
  settings: Settings,
  report: CommandContext['report'],
): Promise<Store> {
  const fail = (error: unknown): never => {
    throw error;
  };
  return openStore(settings, { onDeath: fail, onError: fail, onWarning: report });
}

/** Opens only the database of the store, with the clock of its times. The service may be running. */
export async function openTables(
  settings: Settings,
  report: CommandContext['report'],
): Promise<AsyncDisposable & Pick<Store, 'db' | 'clock'>> {
  return settings.databaseUrl === null
    ? openAdminDatabase(settings.dataDir)
    : openWholeStore(settings, report);
}
