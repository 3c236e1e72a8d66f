import { randomUUID } from 'node:crypto';
import { Kysely } from 'kysely';
import type { Clock } from '../../lib/scheduling/index.ts';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { Tables } from '../ports/database.ts';
import type { Store } from '../ports/store.ts';
import { retryConflicts, type WriteTogether } from '../ports/transactions.ts';
import { checkServer } from './check-server.ts';
import { createDialect } from './dialect.ts';
import { EVENTS_CHANNEL } from './event-log/append-notifier.ts';
import { createPostgresEventStore } from './event-log/event-store.ts';
import { createKnowledgeEngine } from './knowledge/engine.ts';
import { createLeases } from './leases/index.ts';
import { migratePostgres } from './migrate.ts';
import { createHints, HINTS_CHANNEL, NotificationChannels } from './notifications.ts';
import { openPool, type Pool } from './pool.ts';
import { openShared } from './replicas/index.ts';

export interface PostgresOptions {
  /** `postgres://…`; see the documentation of libpq's connection URIs. */
  readonly url: string;
  /** How many connections there may be at once. */
  readonly connections: number;
  /** Bytes of events that may wait to be written before more are refused as overloaded. */
  readonly queueBytes: number;
  /** Background work failed; it is tried again later. */
  readonly onError: (error: unknown) => void;
  /** What the operator should know of the server. */
  readonly onWarning: (text: string) => void;
  /** What limits go by; the real time by default. */
  readonly clock?: Clock;
}

/**
 * Opens the store in a PostgreSQL database, which other replicas may have open too, and brings its schema up
 * to date. Throws `DatabaseAway`, `UnusableDatabase`, and `NewerSchema` when a newer release wrote it.
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  await using opened = new AsyncDisposableStack();
  const pool = opened.use(openPool(options));
  await checkServer(pool, options.onWarning);
  await bringUpToDate(options);
  const db = new Kysely<Tables>({ dialect: createDialect(pool) });
  const shared = opened.use(await openShared(pool, options.clock ?? Date.now, options.onError));
  const channels = new NotificationChannels(options.url, [EVENTS_CHANNEL, HINTS_CHANNEL]);
  opened.defer(() => channels.close());
  const hints = opened.use(createHints(pool, channels));
  const events = opened.use(await createPostgresEventStore({ pool, channels, ...options }));
  const leasesPool = { ...options, connections: 1, answerWithinMs: LEASES_ANSWER_WITHIN_MS };
  const leases = opened.use(
    createLeases({
      pool: opened.use(openPool(leasesPool)),
      hints,
      holder: randomUUID(),
      onError: options.onError,
    }),
  );
  const knowledge = opened.use(createKnowledgeEngine({ pool, url: options.url }));
  const all = opened.move();
  return {
    db,
    writeTogether: createWriteTogether(pool),
    events,
    knowledge,
    shared,
    leases,
    hints,
    isAlone: false,
    check: async () => {
      const { rows } = await pool.read(
        'select pg_is_in_recovery() as standby from migrations limit 1',
      );
      if (rows[0]?.['standby'] !== false)
        throw new StorageUnavailable('unwritable', { cause: new Error('it is a standby') });
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Leases last five seconds: a question that is not answered must be given up and asked again before. */
const LEASES_ANSWER_WITHIN_MS = 2000;

/** A step may take as long as a large table needs, and so may waiting for another replica's. */
async function bringUpToDate(options: PostgresOptions): Promise<void> {
  await using pool = openPool({ ...options, connections: 1, answerWithinMs: null });
  await migratePostgres(new Kysely({ dialect: createDialect(pool) }));
}

/** Retries the writes after a serialisation failure. */
function createWriteTogether(pool: Pool): WriteTogether {
  return (writes) => {
    const compiled = writes.map((write) => write.compile());
    return retryConflicts(() =>
      pool.hold(async (session) => {
        await session.run('begin isolation level serializable');
        // After a failure the pool rolls the open transaction back.
        for (const { sql, parameters } of compiled) await session.run(sql, parameters);
        await session.run('commit');
      }),
    );
  };
}
