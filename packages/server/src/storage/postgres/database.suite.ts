import { setTimeout as sleep } from 'node:timers/promises';
import { type PrivatePostgres, startPostgres } from '@gatehouse/filter/tests/postgres';
import { Kysely } from 'kysely';
import pg from 'pg';
import { afterAllFiles, hasSeveralFiles } from '../../../tests/support/after-all-files.ts';
import { createDialect } from './dialect.ts';
import { migratePostgres } from './migrate.ts';
import { openPool } from './pool.ts';

/** Name of the migrated template database from which test databases are cloned. The first test of a run creates the template. */
const TEMPLATE = 'gatehouse_migrated';
const LOCK = 20_261_122;
/** See `scripts/tests/memory-folder.ts`. */
const MEMORY = '/dev/shm';

let server: Promise<PrivatePostgres> | undefined;
let databases = 0;
/** Databases that this process has created on a server in memory. */
const inMemory: string[] = [];
// The hook is registered for the whole file, because a hook registered in a test runs when that test ends. Benchmarks have no
// test runner.
if (process.argv[1]?.endsWith('.test.ts') || hasSeveralFiles())
  afterAllFiles(async () => {
    if (inMemory.length > 0) await dropDatabases(inMemory);
    const own = await server;
    if (own === undefined) return;
    // In a process with a single file, the file's own hooks close its connections after this hook.
    if (!hasSeveralFiles()) void stopWhenUnused(own);
    else await own[Symbol.asyncDispose]();
  });

async function stopWhenUnused(own: PrivatePostgres): Promise<void> {
  {
    await using client = await connect(own.connection.host);
    const isUsed = async () =>
      (await usedDatabases(client)).some((name) => name?.startsWith('test_'));
    for (
      const endsAt = performance.now() + 10_000;
      (await isUsed()) && performance.now() < endsAt;
    )
      await sleep(50);
  }
  await own[Symbol.asyncDispose]();
}

export async function newDatabase(): Promise<string> {
  return createDatabase(nextName());
}

export async function newEmptyDatabase(): Promise<string> {
  return createDatabase(nextName(), 'empty');
}

/** Creates a database unless a database with this name exists. Returns the URL. */
export async function createDatabase(name: string, kind?: 'empty'): Promise<string> {
  const host = await hostOf();
  await using client = await connect(host);
  const exists = async (database: string) =>
    (await client.query('select 1 from pg_database where datname = $1', [database])).rowCount === 1;
  if (await exists(name)) return urlOf(host, name);
  if (kind !== 'empty' && !(await exists(TEMPLATE))) {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    if (!(await exists(TEMPLATE))) await createTemplate(client, host);
    await client.query('select pg_advisory_unlock($1)', [LOCK]);
  }
  const template = kind === 'empty' ? 'template0' : TEMPLATE;
  const isInMemory = host.startsWith(`${MEMORY}/`);
  const strategy = isInMemory && (await version(client)) >= 15 ? 'strategy file_copy' : '';
  await client.query(`create database ${name} template ${template} ${strategy}`);
  if (isInMemory) inMemory.push(name);
  return urlOf(host, name);
}

async function version(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  return Math.floor(Number(rows[0]?.server_version_num) / 10_000);
}

/** Releases the memory of databases. On a disk, it is cheaper to delete all databases at the end of the run. */
async function dropDatabases(names: readonly string[]): Promise<void> {
  await using client = await connect(await hostOf());
  // In a process with a single file, the file's own hooks close its connections after this hook.
  const used = hasSeveralFiles() ? [] : await usedDatabases(client);
  for (const name of names)
    if (!used.includes(name)) await client.query(`drop database if exists ${name} with (force)`);
}

async function usedDatabases(client: pg.Client): Promise<readonly (string | null)[]> {
  const { rows } = await client.query<{ datname: string | null }>(
    'select distinct datname from pg_stat_activity',
  );
  return rows.map(({ datname }) => datname);
}

async function createTemplate(client: pg.Client, host: string): Promise<void> {
  const name = `${TEMPLATE}_unfinished`;
  await client.query(`create database ${name} template template0`);
  {
    const url = urlOf(host, name);
    await using pool = openPool({ url, connections: 1, onError: () => {} });
    await migratePostgres(new Kysely({ dialect: createDialect(pool) }));
  }
  await client.query(`alter database ${name} rename to ${TEMPLATE}`);
}

function nextName(): string {
  databases += 1;
  return `test_${process.pid}_${databases}`;
}

/**
 * Returns the socket directory of the PostgreSQL server: the server of the test run, or else a server that is started for this
 * file.
 */
async function hostOf(): Promise<string> {
  const configured = process.env['GATEHOUSE_TEST_POSTGRES'];
  if (configured !== undefined) return configured;
  server ??= startPostgres();
  return (await server).connection.host;
}

async function connect(host: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: urlOf(host, 'postgres') });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

function urlOf(host: string, database: string): string {
  return `postgres://gatehouse@localhost/${database}?host=${encodeURIComponent(host)}`;
}
