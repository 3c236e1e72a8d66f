import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { inheritedVariables } from '../services/child-server.ts';
import { programOfCommands } from '../services/program.ts';
import { backendOf } from './backend.ts';

/** Creates and restores backups of a service's data as `docs/operations.md` describes. */
export interface Backups {
  backUp(): Promise<void>;
  /** Deletes all data of the service. Stop the service first. */
  destroy(): Promise<void>;
  restore(): Promise<void>;
  /** Restores the newest backup to a separate database or directory, beside the running service. */
  restoreCopy(): Promise<RestoredCopy>;
}

/** Disposing it deletes the copy. */
export interface RestoredCopy extends AsyncDisposable {
  /** Settings of a service that uses the copy. */
  readonly env: Readonly<Record<string, string>>;
}

export async function backupsOf(dataDir: string, scratch: string): Promise<Backups> {
  const { GATEHOUSE_DATABASE_URL: url } = await backendOf(dataDir);
  return url === undefined ? backupsOfDirectory(dataDir, scratch) : backupsOfDatabase(url, scratch);
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
    restoreCopy: async () => {
      const directory = join(scratch, 'restored');
      renameSync(copy, directory);
      return {
        env: { GATEHOUSE_DATA_DIR: directory },
        [Symbol.asyncDispose]: async () => rmSync(directory, { recursive: true }),
      };
    },
  };
}

/** @param url address of the database of the service. */
export function backupsOfDatabase(url: string, scratch: string): Backups {
  const name = new URL(url).pathname.slice(1);
  const file = join(scratch, 'gatehouse.dump');
  async function runOnServer(statement: string): Promise<void> {
    const serverUrl = new URL(url);
    serverUrl.pathname = '/postgres';
    const client = new pg.Client({ connectionString: serverUrl.href });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }
  async function restoreTo(database: string): Promise<string> {
    const target = new URL(url);
    target.pathname = `/${database}`;
    await runOnServer(`drop database if exists ${database} with (force)`);
    await runOnServer(`create database ${database} template template0`);
    const options = ['--exit-on-error', '--single-transaction', `--dbname=${target.href}`];
    await run('pg_restore', [...options, file]);
    return target.href;
  }
  const drop = (database: string) => runOnServer(`drop database ${database} with (force)`);
  return {
    backUp: () => run('pg_dump', ['--format=custom', `--file=${file}`, url]),
    destroy: () => drop(name),
    restore: async () => {
      await restoreTo(name);
    },
    restoreCopy: async () => {
      const database = `${name}_restored`;
      const directory = join(scratch, 'restored');
      return {
        env: {
          GATEHOUSE_DATABASE_URL: await restoreTo(database),
          GATEHOUSE_DATA_DIR: directory,
        },
        [Symbol.asyncDispose]: async () => {
          await drop(database);
          rmSync(directory, { recursive: true, force: true });
        },
      };
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
