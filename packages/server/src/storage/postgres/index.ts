import { randomUUIDv7 } from 'node:crypto';
import { Kysely } from 'kysely';
import { NO_READ_LIMITS } from '../../lib/threads/index.ts';
import type { Tables } from '../ports/database.ts';
import { queryLog, type Store, type StoreOptions } from '../ports/store.ts';
import { retryConflicts, type WriteAtomically } from '../ports/transactions.ts';
import { checkServer } from './check-server.ts';
import { createDialect } from './dialect.ts';
import { EVENTS_CHANNEL } from './event-log/append-notifier.ts';
import { createPostgresEventStore } from './event-log/event-store.ts';
import { ReadOnlySession } from './failure.ts';
import { createKnowledgeEngine } from './knowledge/engine.ts';
import { createLeases } from './leases/index.ts';
import { migratePostgres } from './migrate.ts';
import { createHints, HINTS_CHANNEL, NotificationChannels } from './notifications.ts';
import { beginTransaction, openPool, type Pool, type Session } from './pool.ts';
import { DatabaseClock } from './replicas/database-clock.ts';
import { describeStore } from './replicas/describe-store.ts';
import { openShared } from './replicas/index.ts';
import { retryRead } from './retry.ts';
import { toSingleStatement } from './single-statement.ts';

export interface PostgresOptions extends StoreOptions {
  /** Connection URI as documented for libpq, for example `postgres://user@host/database`. */
  readonly url: string;
  readonly connections: number;
  readonly onWarning: (text: string) => void;
}

/**
 * Opens the store in a PostgreSQL database and migrates the schema. Other replicas may use the same database.
 *
 * @throws `DatabaseUnavailable` or `UnusableDatabase` if the server is unreachable or unsuitable, and `NewerSchema` if a newer
 * release migrated the database.
 * @example
 * ```ts
 * await using store = await openPostgres({
 *   url: 'postgres://gatehouse@localhost/gatehouse',
 *   connections: 10,
 *   queueBytes: 64 * 1024 * 1024,
 *   onError: (error) => console.error(error),
 *   onWarning: (text) => console.warn(text),
 * });
 * ```
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const pool = opened.use(openPool(options));
  await checkServer(pool, options.onWarning);
  await migrateSchema(options);
  const db = new Kysely<Tables>({ dialect: createDialect(pool), ...queryLog(options.onQuery) });
  const replica = { id: randomUUIDv7(), version: options.version };
  const databaseClock = new DatabaseClock();
  const clock = options.clock ?? databaseClock.now;
  const shared = opened.use(
    await openShared({ pool, replica, clock, databaseClock, onError: options.onError }),
  );
  const channels = new NotificationChannels(options.url, [EVENTS_CHANNEL, HINTS_CHANNEL]);
  opened.defer(() => channels.close());
  const hints = opened.use(createHints(pool, channels));
  const events = opened.use(await createPostgresEventStore({ pool, channels, ...options }));
  const leasesPool = { ...options, connections: 1, answerWithinMs: LEASES_ANSWER_WITHIN_MS };
  const leases = opened.use(
    createLeases({
      pool: opened.use(openPool(leasesPool)),
      hints,
      holder: replica.id,
      onError: options.onError,
    }),
  );
  const knowledge = opened.use(
    createKnowledgeEngine({
      pool,
      url: options.url,
      limits: options.readLimits ?? NO_READ_LIMITS,
    }),
  );
  const all = opened.move();
  return {
    db,
    clock,
    writeAtomically: createWriteAtomically(pool),
    events,
    knowledge,
    shared,
    leases,
    hints,
    queueAudit: (isQueued) => queueAudit(db, isQueued),
    isExclusive: false,
    describe: describeStore(pool, replica.id),
    check: () => retryRead(() => pool.hold(requireWritable)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** A standby and a database whose default is read-only answer reads, but nothing can be stored. */
async function requireWritable(session: Session): Promise<void> {
  const { rows } = await session.run(
    "select current_setting('transaction_read_only') as read_only from migrations limit 1",
  );
  if (rows[0]?.['read_only'] !== 'off')
    throw new ReadOnlySession(new Error('the database accepts no writes'));
}

/** Leases last 5 seconds. An unanswered statement must time out early enough that it can be retried. */
const LEASES_ANSWER_WITHIN_MS = 2000;

/**
 * There is no statement timeout, because the migration of a large table, or waiting for another replica's migration, can take
 * long.
 */
async function migrateSchema(options: PostgresOptions): Promise<void> {
  await using pool = openPool({ ...options, connections: 1, answerWithinMs: null });
  await migratePostgres(new Kysely({ dialect: createDialect(pool) }));
}

function createWriteAtomically(pool: Pool): WriteAtomically {
  return (writes) => {
    const compiled = writes.map((write) => write.compile());
    const single = toSingleStatement(compiled);
    if (single !== null)
      return retryConflicts(async () => {
        await pool.run(single.sql, single.parameters, { often: true });
      });
    return retryConflicts(() =>
      pool.hold(async (session) => {
        await beginTransaction(session, 'serializable');
        // If a statement fails, the pool rolls the transaction back.
        for (const { sql, parameters } of compiled) await session.run(sql, parameters);
        await session.run('commit');
      }),
    );
  };
}

/** Changes the fact that the trigger of `audit_entries` reads. A change of the trigger would lock the table. */
async function queueAudit(db: Kysely<Tables>, isQueued: boolean): Promise<void> {
  const name = 'audit-space';
  await retryConflicts(async () => {
    if (isQueued)
      await db
        .insertInto('installation')
        .values({ name, value: 'on' })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    else await db.deleteFrom('installation').where('name', '=', name).execute();
  });
}
