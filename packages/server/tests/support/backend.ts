import { createHash } from 'node:crypto';
import pg from 'pg';
import { createDatabase } from '../../src/storage/postgres/database.suite.ts';

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

/**
 * Returns the settings with which a service on this data directory uses the engine of this run.
 *
 * @param kind `empty`: a database without tables; otherwise the database has the current schema already.
 */
export async function backendOf(dataDir: string, kind?: 'empty'): Promise<Env> {
  if (!ON_POSTGRES) return {};
  const hash = createHash('sha256').update(dataDir);
  const database = `journey_${hash.copy().digest('hex').slice(0, 32)}`;
  const secret = hash.update('secret').digest('base64');
  return {
    GATEHOUSE_DATABASE_URL: await urlOf(database, kind),
    GATEHOUSE_SECRET: secret,
    // Nothing but a test sends requests, and it waits for the end.
    GATEHOUSE_DRAIN_SECONDS: '0',
  };
}

/** Once per database: a test that drops one does not want it back. */
const urls = new Map<string, Promise<string>>();

function urlOf(database: string, kind?: 'empty'): Promise<string> {
  const url = urls.get(database) ?? createDatabase(database, kind);
  urls.set(database, url);
  return url;
}

/** A new connection to the database of a service that was started on this directory, for what no operation shows. */
export async function connectTo(dataDir: string): Promise<pg.Client> {
  const { GATEHOUSE_DATABASE_URL: url = '' } = await backendOf(dataDir);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
