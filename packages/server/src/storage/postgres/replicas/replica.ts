import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import { FirstFailure } from '../../../lib/scheduling/index.ts';
import type { Pool } from '../pool.ts';
import type { DatabaseClock } from './database-clock.ts';

/** SQL expression for the database's time in Unix milliseconds. All replicas use this clock. */
export const DATABASE_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const BEAT_EVERY_MS = 2000;
/** Milliseconds without a heartbeat after which a replica counts as dead. */
const ALIVE_MS = 6000;

/** A process that uses the database. */
export interface Replica {
  /** Unique identifier of the process run. */
  readonly id: string;
  /** Version of the service. Omitted if the process serves no requests. */
  readonly version?: string | undefined;
}

export interface HeartbeatOptions {
  /** Measured with each heartbeat. */
  readonly databaseClock: DatabaseClock;
  /** Called after each heartbeat to retry pending releases. */
  readonly onBeat: () => Promise<void>;
  /** Receives the first of several consecutive failures. Heartbeats continue. */
  readonly onError: (error: unknown) => void;
}

/**
 * Registers a replica and sends a heartbeat every two seconds. If the process dies, its resources are free within six seconds.
 * Disposing of the registration releases the resources immediately.
 */
export async function joinReplicas(
  pool: Pool,
  { id, version }: Replica,
  { databaseClock, onBeat, onError }: HeartbeatOptions,
): Promise<AsyncDisposable> {
  const values = [id, hostname(), version ?? null, Date.now()];
  const register = () =>
    databaseClock.measure(async () => Number((await pool.run(BEAT, values)).rows[0]?.['now']));
  await register();
  const failures = new FirstFailure(onError);
  let beating: Promise<void> | null = null;

  async function beat(): Promise<void> {
    await register();
    await onBeat();
  }

  const timer = setInterval(() => {
    beating ??= failures.of(beat).finally(() => {
      beating = null;
    });
  }, BEAT_EVERY_MS).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await beating;
      // If the removal fails, the registration expires.
      await pool.run(END, [id]).catch(() => {});
    },
  };
}

const BEAT = `
  insert into replicas (id, host, version, started_at, ends_at)
  values ($1, $2, $3, $4, ${DATABASE_NOW} + ${ALIVE_MS})
  on conflict (id) do update set ends_at = excluded.ends_at
  returning ${DATABASE_NOW} as now`;

const END = 'delete from replicas where id = $1';

/** Returns a hash of a key, so that the tables contain no addresses or user identifiers. */
export function shortKey(key: string): string {
  return hash('sha256', key, 'base64url');
}
