import { hash } from 'node:crypto';
import { FirstFailure } from '../../../lib/scheduling/index.ts';
import type { Pool } from '../pool.ts';

/** The database's time, in Unix milliseconds: the clock that all replicas share. */
export const DATABASE_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const BEAT_EVERY_MS = 2000;
/** A replica that was not heard of for so long is taken for dead. */
const ALIVE_MS = 6000;

/**
 * Says every two seconds, by the clock of the database, that a process lives, so that what it holds is free
 * within six when it does not; and at once when this is disposed of.
 *
 * @param id of this run of the process; no other has it.
 * @param onBeat is called after each beat, for what is to be told again until it is known.
 * @param onError hears why the database could not be told, once in a row; it is told again.
 */
export async function joinReplicas(
  pool: Pool,
  id: string,
  onBeat: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<AsyncDisposable> {
  await pool.run(BEAT, [id]);
  const failures = new FirstFailure(onError);
  let beating: Promise<void> | null = null;

  async function beat(): Promise<void> {
    await pool.run(BEAT, [id]);
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
      // Whoever cannot be told finds out.
      await pool.run(END, [id]).catch(() => {});
    },
  };
}

const BEAT = `
  insert into replicas (id, ends_at) values ($1, ${DATABASE_NOW} + ${ALIVE_MS})
  on conflict (id) do update set ends_at = excluded.ends_at`;

const END = 'delete from replicas where id = $1';

/** Stands for a key of any length, and shows nobody who looks into the tables an address or a person. */
export function shortKey(key: string): string {
  return hash('sha256', key, 'base64url');
}
