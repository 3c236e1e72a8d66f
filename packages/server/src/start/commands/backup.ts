import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { syncDirectory } from '../../lib/files/index.ts';
import {
  type Backup,
  EXIT,
  OperatorFailure,
  operatorFailureOf,
  recordBackup,
} from '../../platform/installation/index.ts';
import { copyKeys } from '../../platform/secrets/index.ts';
import type { Settings } from '../../platform/settings/index.ts';
import { backUpDatabase } from '../../storage/sqlite/index.ts';
import { type Command, type CommandContext, openTables } from './command.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'Backs up the data directory while the service runs.',
  help: `  <directory>        The target, which must not exist. It appears when the backup is complete and on disk.
  --to <directory>   The same, as an option.
  --check            Reads the backup and checks its integrity, which takes about as long again.

The backup contains everything that was acknowledged before the command started, and keys/secret if there is such a
file: protect it like the data directory. It is a data directory itself; to restore it, stop the service and set
GATEHOUSE_DATA_DIR to a copy of it. Back up PostgreSQL with its own tools; see docs/operations.md.`,
  options: { to: { type: 'string' }, check: { type: 'boolean' } },
  positional: { option: 'to', placeholder: '<directory>' },

  async run({ settings, options, report }) {
    const to = targetOf(settings, options['to']);
    const check = options['check'] === true;
    const { bytes, keys } = await create(settings.dataDir, to, check).catch((error: unknown) => {
      throw operatorFailureOf(error, { data: settings.dataDir, target: to }) ?? error;
    });
    if (keys.length === 0)
      report('the backup does not contain the secret: store a copy of GATEHOUSE_SECRET elsewhere');
    await record(
      settings,
      { finishedAt: Date.now(), bytes, directory: to, isChecked: check },
      report,
    );
    const included = keys.length === 0 ? '' : ' and the secret';
    const passed = check ? '; the integrity check passed' : '';
    return {
      value: { directory: to, bytes, isChecked: check },
      lines: [`Backed up ${bytes} bytes${included} to ${to}${passed}.`],
    };
  },
};

/** Creates the backup. If this fails, deletes the incomplete backup. */
async function create(dataDir: string, to: string, check: boolean) {
  const draft = `${to}.part`;
  // On a read-only file system, deleting a missing directory fails with an error that has no code.
  if (existsSync(draft)) rmSync(draft, { recursive: true });
  try {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    mkdirSync(draft, { mode: 0o700 });
    const bytes = await backUpDatabase(dataDir, `${draft}/gatehouse.db`, { check });
    const keys = copyKeys(dataDir, draft);
    syncDirectory(draft);
    renameSync(draft, to);
    syncDirectory(dirname(to));
    return { bytes, keys };
  } catch (error) {
    if (existsSync(draft)) rmSync(draft, { recursive: true });
    throw error;
  }
}

/** The backup is complete, so a failure to record it is only a warning. */
async function record(settings: Settings, completed: Backup, report: CommandContext['report']) {
  try {
    await using tables = await openTables(settings, report);
    await recordBackup(tables.db, completed);
  } catch (error) {
    report(
      `the time of the backup was not recorded, so GET /installation does not show it: ${String(error)}`,
    );
  }
}

function targetOf(settings: Settings, to: unknown): string {
  if (settings.databaseUrl !== null)
    throw new OperatorFailure(EXIT.wrongUse, [
      'back up PostgreSQL with its own tools, pg_dump or a base backup; see docs/operations.md',
    ]);
  if (typeof to !== 'string' || to === '')
    throw new OperatorFailure(EXIT.wrongUse, [
      'the target is missing; name a directory that does not exist: backup <directory>',
    ]);
  const path = resolve(to);
  if (existsSync(path))
    throw new OperatorFailure(EXIT.wrongUse, [
      `${path} already exists; name a directory that does not exist`,
    ]);
  return path;
}
