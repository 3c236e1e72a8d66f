import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { backendOf, ON_POSTGRES } from './backend.ts';

const COMMAND = join(import.meta.dirname, '../../src/start/commands/main.ts');

/** Backups as `docs/operations.md` tells operators to make them, of what a service on a directory keeps. */
export interface Backups {
  /** Makes one, beside the service. */
  backUp(): Promise<void>;
  /** Loses all that the service kept. It must not run. */
  destroy(): Promise<void>;
  /** Puts back what the newest backup has. */
  restore(): Promise<void>;
}

/** @param scratch a directory for the backups. */
export async function backupsOf(dataDir: string, scratch: string): Promise<Backups> {
  return ON_POSTGRES ? backupsOfPostgres(dataDir, scratch) : backupsOfDirectory(dataDir, scratch);
}

function backupsOfDirectory(dataDir: string, scratch: string): Backups {
  const copy = join(scratch, 'copy');
  return {
    backUp: async () => {
      rmSync(copy, { recursive: true, force: true });
      await run(process.execPath, [COMMAND, 'backup', '--to', copy, '--check'], {
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
  async function atServer(statement: string): Promise<void> {
    const elsewhere = new URL(url);
    elsewhere.pathname = '/postgres';
    const client = new pg.Client({ connectionString: elsewhere.href });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  }
  return {
    backUp: () => run('pg_dump', ['--format=custom', `--file=${file}`, url]),
    destroy: () => atServer(`drop database ${name} with (force)`),
    restore: async () => {
      await atServer(`create database ${name} template template0`);
      await run('pg_restore', ['--exit-on-error', '--single-transaction', `--dbname=${url}`, file]);
    },
  };
}

/** Runs a program to its end, and fails when that is not well. */
async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  assert.equal(code, 0, said);
}
