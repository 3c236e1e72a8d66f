import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EXIT, OperatorFailure } from '../../platform/installation/index.ts';
import { copyKeys, syncDirectory } from '../../platform/secrets/index.ts';
import type { Settings } from '../../platform/settings/index.ts';
import { backUpDatabase } from '../../storage/sqlite/index.ts';
import type { Command } from './command.ts';

/** `backup --to <directory> [--check]` */
export const backup: Command = {
  name: 'backup',
  summary: 'Copies the data directory as it is at one moment, while the service runs.',
  help: `  --to <directory>   Where to; it must not be there yet. It appears when the copy is whole and on disk.
  --check            Reads the copy through and looks for damage, which takes about as long again.

Everything that was acknowledged before the command began is in the copy, keys included: keep it as secret
as the data directory. It is a data directory itself; to restore, stop the service and let
GATEHOUSE_DATA_DIR name a copy of it. What PostgreSQL keeps is backed up by its own means; see
docs/operations.md.`,
  options: { to: { type: 'string' }, check: { type: 'boolean' } },

  async run({ settings, options, say, report }) {
    const to = targetOf(settings, options['to']);
    const draft = `${to}.part`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    const check = options['check'] === true;
    const bytes = await backUpDatabase(settings.dataDir, `${draft}/gatehouse.db`, { check });
    const keys = copyKeys(settings.dataDir, draft);
    if (keys.length === 0)
      report('the secret is not in the backup: keep a copy of GATEHOUSE_SECRET elsewhere');
    syncDirectory(draft);
    renameSync(draft, to);
    syncDirectory(dirname(to));
    say(`${to} has all of it, ${bytes} bytes and the keys${check ? ', and was checked' : ''}.`);
  },
};

function targetOf(settings: Settings, to: unknown): string {
  if (settings.databaseUrl !== null)
    throw new OperatorFailure(EXIT.wrongUse, [
      'PostgreSQL is backed up by its own means, pg_dump or a base backup; see docs/operations.md',
    ]);
  if (typeof to !== 'string' || to === '')
    throw new OperatorFailure(EXIT.wrongUse, ['--to: must name a directory that is not there yet']);
  const path = resolve(to);
  if (existsSync(path))
    throw new OperatorFailure(EXIT.wrongUse, [`--to: ${path} is there already`]);
  return path;
}
