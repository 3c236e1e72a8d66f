import { createHash } from 'node:crypto';
import pg from 'pg';

/** Whether the services of this run are to keep everything in PostgreSQL; see `scripts/tests/tiers.ts`. */
export const ON_POSTGRES = process.env['GATEHOUSE_TEST_BACKEND'] === 'postgres';

/** The reason to skip what is about the embedded store itself, such as its files. */
export const SQLITE_ALONE = ON_POSTGRES ? 'it is about the embedded store' : false;

// Whole numbers as the service has them: none of ours is beyond 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** What a service prints, but for what it warns of on every start on a server of tests. */
export function withoutWarnings(printed: string): string {
  return printed.replaceAll(/^.*(with fsync = off|GATEHOUSE_BASE_URL is not set).*\n/gm, '');
}

type Env = Readonly<Record<`GATEHOUSE_${string}`, string>>;

/** The settings by which a service that would keep its data in this directory keeps them in the backend of this run. */
export async function backendOf(dataDir: string): Promise<Env> {
  if (!ON_POSTGRES) return {};
  const hash = createHash('sha256').update(dataDir);
  const database = `journey_${hash.copy().digest('hex').slice(0, 32)}`;
  await makeDatabase(database);
  const secret = hash.update('secret').digest('base64');
  return {
    GATEHOUSE_DATABASE_URL: urlOf(database),
    GATEHOUSE_SECRET: secret,
    // Nothing but a test sends requests, and it waits for the end.
    GATEHOUSE_DRAIN_SECONDS: '0',
  };
}

/** A new connection to the database of a service that was started on this directory, for what no operation shows. */
export async function connectTo(dataDir: string): Promise<pg.Client> {
  const { GATEHOUSE_DATABASE_URL: url = '' } = await backendOf(dataDir);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

const made = new Set<string>();

async function makeDatabase(name: string): Promise<void> {
  if (made.has(name)) return;
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await client.query(`create database ${name} template template0`);
    made.add(name);
  } finally {
    await client.end();
  }
}

function urlOf(database: string): string {
  const home = process.env['GATEHOUSE_TEST_POSTGRES'];
  if (home === undefined)
    throw new Error('run it behind scripts/with-postgres.ts, which starts a private server');
  return `postgres://gatehouse@localhost/${database}?host=${encodeURIComponent(home)}`;
}
