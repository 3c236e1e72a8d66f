import { after } from 'node:test';
import { type PrivatePostgres, startPostgres } from '@gatehouse/filter/tests/postgres';
import { Kysely } from 'kysely';
import pg from 'pg';
import { createDialect } from './dialect.ts';
import { migratePostgres } from './migrate.ts';
import { openPool } from './pool.ts';

/** The database with the current schema that others are copied from; the first test of a run makes it. */
const TEMPLATE = 'gatehouse_migrated';
/** The advisory lock under which the template is made. */
const LOCK = 20_261_122;

let server: Promise<PrivatePostgres> | undefined;
let databases = 0;
// A hook of the whole file: within a test it would run at the end of that test. Benchmarks are no tests.
if (process.argv[1]?.endsWith('.test.ts'))
  after(async () => (await server)?.[Symbol.asyncDispose]());

/** Creates a database with the current schema and without rows, for one test. Returns its URL. */
export async function newDatabase(): Promise<string> {
  return createDatabase(nextName());
}

/** Creates a database without tables, for one test. Returns its URL. */
export async function newEmptyDatabase(): Promise<string> {
  return createDatabase(nextName(), 'empty');
}

/** Creates a database of this name unless it exists. Returns its URL. */
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
  await client.query(
    `create database ${name} template ${kind === 'empty' ? 'template0' : TEMPLATE}`,
  );
  return urlOf(host, name);
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

/** The socket folder of the server: one that the whole run has, or one that this file starts. */
async function hostOf(): Promise<string> {
  const given = process.env['GATEHOUSE_TEST_POSTGRES'];
  if (given !== undefined) return given;
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
