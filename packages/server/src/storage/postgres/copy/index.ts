import { Kysely } from 'kysely';
import { isUpToDate, postgresMigrations } from '../../migrations/index.ts';
import type { CopyEnd, CopyTable } from '../../ports/copy.ts';
import { DatabaseAway, UnusableDatabase } from '../../ports/store.ts';
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
 * A PostgreSQL database as an end of a copy, on which no service may run. Throws `DatabaseAway`, also while one
 * does, and `UnusableDatabase` where what is to be copied is not of this release.
 */
export async function openPostgresEnd(
  url: string,
  { make, onWarning }: { readonly make: boolean; readonly onWarning: (text: string) => void },
): Promise<CopyEnd> {
  await using opened = new AsyncDisposableStack();
  const onError = (): void => {};
  // What a whole table needs may take long.
  const pool = opened.use(openPool({ url, connections: 2, answerWithinMs: null, onError }));
  await checkServer(pool, onWarning);
  if (make && (await holdsNobody(pool)))
    await migratePostgres(new Kysely({ dialect: createDialect(pool) }));
  await checkRelease(pool);
  await checkUnused(pool);
  const columns = remembering((table: CopyTable) => columnsOf(pool, table));
  const all = opened.move();
  return {
    words: wordsOf(url),
    columns,
    rows: async function* (table, after) {
      yield* readRows(pool, table, await columns(table), after);
    },
    write: async (table, rows, { name, value }) => {
      const named = await columns(table);
      await inOne(pool, async (session) => {
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

/** Whether the schema may be brought up to date, since nobody can have used it. */
async function holdsNobody(pool: Pool): Promise<boolean> {
  const { rows } = await pool.read("select to_regclass('users') is not null as made");
  if (rows[0]?.['made'] !== true) return true;
  return (await pool.read('select 1 from users limit 1')).rows.length === 0;
}

async function checkRelease(pool: Pool): Promise<void> {
  const { rows } = await pool.read('select name from migrations').catch((error) => {
    throw new UnusableDatabase('the database holds nothing of Gatehouse', { cause: error });
  });
  const applied = rows.map(({ name }) => name);
  if (!isUpToDate(applied, postgresMigrations))
    throw new UnusableDatabase(
      'the database was last used by another release; start a service of this one once',
    );
}

/** A service holds some lease at any time. */
async function checkUnused(pool: Pool): Promise<void> {
  if (await isAnyHeld(pool))
    throw new DatabaseAway(
      'a Gatehouse is running on the database; stop all of them and wait five seconds',
    );
}

function remembering<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new Map<Given, Made>();
  return (given) => {
    const known = made.get(given) ?? make(given);
    made.set(given, known);
    return known;
  };
}

async function inOne(pool: Pool, work: (session: Session) => Promise<void>): Promise<void> {
  await pool.hold(async (session) => {
    await session.run('begin');
    await work(session);
    await session.run('commit');
  });
}

/** The URL without what is secret in it. */
function wordsOf(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `postgres://${host}${pathname}`;
  } catch {
    return 'postgres://…';
  }
}
