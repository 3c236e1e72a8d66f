import { createHash } from 'node:crypto';
import pg from 'pg';
import { createDatabase } from '../../../src/storage/postgres/database.suite.ts';

/** `true` if the services under test use PostgreSQL. See `scripts/tests/tiers.ts`. */
export const ON_POSTGRES = process.env['GATEHOUSE_TEST_BACKEND'] === 'postgres';

/** Skip reason of tests that need the embedded store, for example because they read its files. */
export const SQLITE_ONLY = ON_POSTGRES ? 'requires the embedded store' : false;

// Parses `int8` as the service does. No stored value exceeds 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Removes the warnings that every service prints at startup in tests. */
export function withoutWarnings(printed: string): string {
  return printed.replaceAll(/^.*(with fsync = off|GATEHOUSE_BASE_URL is not set).*\n/gm, '');
}

type Env = Readonly<Record<`GATEHOUSE_${string}`, string>>;

/**
 * Returns the settings of a service on this data directory for the database engine that this test run uses.
 *
 * @param kind `empty`: a database without tables. Default: a database with the current schema.
 */
export async function backendOf(dataDir: string, kind?: 'empty'): Promise<Env> {
  if (!ON_POSTGRES) return {};
  const hash = createHash('sha256').update(dataDir);
  const database = `journey_${hash.copy().digest('hex').slice(0, 32)}`;
  const secret = hash.update('secret').digest('base64');
  return {
    GATEHOUSE_DATABASE_URL: await urlOf(database, kind),
    GATEHOUSE_SECRET: secret,
    // Draining is unnecessary, because the test is the only client and waits for all responses before it stops the service.
    GATEHOUSE_DRAIN_SECONDS: '0',
  };
}

/** URLs by database name. If a test drops a database, the database is not created again. */
const urls = new Map<string, Promise<string>>();

function urlOf(database: string, kind?: 'empty'): Promise<string> {
  const url = urls.get(database) ?? createDatabase(database, kind);
  urls.set(database, url);
  return url;
}

/** Opens a connection to the database of a service that was started on this directory. */
export async function connectTo(dataDir: string): Promise<pg.Client> {
  const { GATEHOUSE_DATABASE_URL: url = '' } = await backendOf(dataDir);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
