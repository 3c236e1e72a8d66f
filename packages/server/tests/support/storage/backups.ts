import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { inheritedVariables } from '../services/child-server.ts';
import { programOfCommands } from '../services/program.ts';
import { backendOf, ON_POSTGRES } from './backend.ts';

/** Creates and restores backups of a service's data as `docs/operations.md` describes. */
export interface Backups {
  backUp(): Promise<void>;
  /** Deletes all data of the service. Stop the service first. */
  destroy(): Promise<void>;
  restore(): Promise<void>;
}

export async function backupsOf(dataDir: string, scratch: string): Promise<Backups> {
  return ON_POSTGRES ? backupsOfPostgres(dataDir, scratch) : backupsOfDirectory(dataDir, scratch);
}

function backupsOfDirectory(dataDir: string, scratch: string): Backups {
  const copy = join(scratch, 'copy');
  return {
    backUp: async () => {
      rmSync(copy, { recursive: true, force: true });
      await run(process.execPath, [programOfCommands(), 'backup', '--to', copy, '--check'], {
        GATEHOUSE_DATA_DIR: dataDir,
      });
    },
    destroy: async () => rmSync(dataDir, { recursive: true }),
    restore: async () => renameSync(copy, dataDir),
  };
}

async function backupsOfPostgres(dataDir: string, scratch: string): Promise<Backups> {
  const { GATEHOUSE_DATABASE_URL: url = '' } = await backendOf(dataDir);
  const name = new URL(url).pathname.slice(1);
  const file = join(scratch, 'gatehouse.dump');
  async function runOnServer(statement: string): Promise<void> {
    const serverUrl = new URL(url);
    serverUrl.pathname = '/postgres';
    const client = new pg.Client({ connectionString: serverUrl.href });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }
  return {
    backUp: () => run('pg_dump', ['--format=custom', `--file=${file}`, url]),
    destroy: () => runOnServer(`drop database ${name} with (force)`),
    restore: async () => {
      await runOnServer(`create database ${name} template template0`);
      await run('pg_restore', ['--exit-on-error', '--single-transaction', `--dbname=${url}`, file]);
    },
  };
}

async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...inheritedVariables(), ...env },
  });
  const [[code], stderr] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  assert.equal(code, 0, stderr);
}
