import { Kysely } from 'kysely';
import { isUpToDate, postgresMigrations } from '../../migrations/index.ts';
import type { CopyEnd, CopyTable } from '../../ports/copy.ts';
import { DatabaseUnavailable, UnusableDatabase } from '../../ports/store.ts';
import { checkServer } from '../check-server.ts';
import { createDialect } from '../dialect.ts';
import { isAnyHeld } from '../leases/lease-table.ts';
import { migratePostgres } from '../migrate.ts';
import { openPool, type Pool, type Session } from '../pool.ts';
import { readCounters, readIdentities, writeCounters, writeIdentities } from './identities.ts';
import { columnsOf, readRows } from './read-rows.ts';
import { writeRows } from './write-rows.ts';

const PUT_FACT =
  'insert into installation (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value';

/**
 * Opens a PostgreSQL database as the source or target of a copy.
 *
 * @throws `DatabaseUnavailable` if the server is unreachable or a service uses the database, `UnusableDatabase` if the schema belongs to another
 * release.
 */
export async function openPostgresEnd(
  url: string,
  { make, onWarning }: { readonly make: boolean; readonly onWarning: (text: string) => void },
): Promise<CopyEnd> {
  await using opened = new AsyncDisposableStack();
  const onError = (): void => {};
  // No timeout, because statements on whole tables can take long.
  const pool = opened.use(openPool({ url, connections: 2, answerWithinMs: null, onError }));
  await checkServer(pool, onWarning);
  if (make && (await hasNoUsers(pool)))
    await migratePostgres(new Kysely({ dialect: createDialect(pool) }));
  await checkRelease(pool);
  await checkUnused(pool);
  const columns = memoized((table: CopyTable) => columnsOf(pool, table));
  const all = opened.move();
  return {
    label: withoutSecrets(url),
    columns,
    rows: async function* (table, after) {
      yield* readRows(pool, table, await columns(table), after);
    },
    write: async (table, rows, { name, value }) => {
      const named = await columns(table);
      await inTransaction(pool, async (session) => {
        await writeRows(session, table, named, rows);
        await session.run(PUT_FACT, [name, value]);
      });
    },
    isEmpty: async (tables) => {
      const names = [...tables.map(({ name }) => name), 'event_identities_moved'];
      const any = names.map((name) => `exists (select 1 from ${name})`).join(' or ');
      return (await pool.read(`select ${any} as any_row`)).rows[0]?.['any_row'] !== true;
    },
    identities: () => readIdentities(pool),
    writeIdentities: (identities) => writeIdentities(pool, identities),
    counters: () => readCounters(pool),
    writeCounters: (counters) => writeCounters(pool, counters),
    fact: async (name) => {
      const { rows } = await pool.read('select value from installation where name = $1', [name]);
      return rows[0]?.['value'] as string | undefined;
    },
    putFact: async (name, value) => void (await pool.run(PUT_FACT, [name, value])),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Reports whether the database has no users. Such a database was never used, so its schema may be migrated. */
async function hasNoUsers(pool: Pool): Promise<boolean> {
  const { rows } = await pool.read("select to_regclass('users') is not null as made");
  if (rows[0]?.['made'] !== true) return true;
  return (await pool.read('select 1 from users limit 1')).rows.length === 0;
}

async function checkRelease(pool: Pool): Promise<void> {
  const { rows } = await pool.read('select name from migrations').catch((error) => {
    throw new UnusableDatabase('the database contains no Gatehouse tables; check the URL', {
      cause: error,
    });
  });
  const applied = rows.map(({ name }) => name);
  if (!isUpToDate(applied, postgresMigrations))
    throw new UnusableDatabase(
      'the database was last used by another release; start a service of this one once',
    );
}

/** Throws if a service uses the database. A running service always holds at least one lease. */
async function checkUnused(pool: Pool): Promise<void> {
  if (await isAnyHeld(pool))
    throw new DatabaseUnavailable(
      'a Gatehouse is running on the database; stop all of them and wait five seconds',
    );
}

function memoized<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new Map<Given, Made>();
  return (given) => made.getOrInsertComputed(given, make);
}

async function inTransaction(pool: Pool, work: (session: Session) => Promise<void>): Promise<void> {
  await pool.hold(async (session) => {
    await session.run('begin');
    await work(session);
    await session.run('commit');
  });
}

/** Returns the URL without credentials and parameters. */
function withoutSecrets(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `postgres://${host}${pathname}`;
  } catch {
    return 'postgres://…';
  }
}
