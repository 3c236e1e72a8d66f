import { FirstFailure } from '../../../lib/scheduling/index.ts';
import type { Pool } from '../pool.ts';
import { DATABASE_NOW } from './replica.ts';

const SWEEP_EVERY_MS = 30_000;
/** Rows that are looked at in one statement. */
const STEP = 1000;
/** Replicas' clocks differ; what is over for so long is over for all. */
const SURELY_OVER_MS = 120_000;
const HOUR_MINUTES = 60;
const DAY_MS = 86_400_000;

/**
 * Removes what limits and statistics need no more, in steps of a thousand rows. Every replica does; what another one
 * has under its hands is left to it, so that nobody waits.
 */
export function startSweeping(pool: Pool, onError: (error: unknown) => void): AsyncDisposable {
  const failures = new FirstFailure(onError);
  const closing = new AbortController();
  let sweeping: Promise<void> | null = null;
  const timer = setInterval(() => {
    sweeping ??= failures
      .of(() => sweep(pool, closing.signal))
      .finally(() => {
        sweeping = null;
      });
  }, SWEEP_EVERY_MS).unref();
  return {
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      clearInterval(timer);
      await sweeping;
    },
  };
}

/** Removes all that is over; ends early by the signal. */
export async function sweep(pool: Pool, signal: AbortSignal): Promise<void> {
  let after: readonly unknown[] | null = ['', ''];
  while (after !== null && !signal.aborted) {
    const { rows } = await pool.run(SWEEP_COUNTS, after);
    const [last] = rows;
    after = last === undefined ? null : [last['name'], last['key']];
  }
  for (const statement of SWEEP_REST)
    while (!signal.aborted && (await pool.run(statement)).count === STEP);
}

/** Along the keys, since an index by time would have to be changed with every count. */
const SWEEP_COUNTS = `
  with looked as (
    select name, key, ends_at from rate_counts
    where (name, key) > ($1, $2) order by name, key limit ${STEP}
  ), ended as (
    select kept.name, kept.key from rate_counts as kept join looked using (name, key)
    where kept.ends_at < ${DATABASE_NOW} - ${SURELY_OVER_MS}
    for update of kept skip locked
  ), gone as (
    delete from rate_counts as kept using ended
    where kept.name = ended.name and kept.key = ended.key
  )
  select name, key from looked order by name desc, key desc limit 1`;

const SWEEP_REST = [
  `with ended as (
    select key from semaphores as kept
    where not exists (
      select from unnest(kept.holders) as held(holder)
      join replicas on id = split_part(holder, '/', 1) and ends_at > ${DATABASE_NOW}
    )
    limit ${STEP} for update of kept skip locked
  ) delete from semaphores as kept using ended where kept.key = ended.key`,
  `with ended as (
    select space_id, minute, counter from event_counts
    where minute < ${DATABASE_NOW} / 60000 - ${HOUR_MINUTES}
    limit ${STEP} for update skip locked
  ) delete from event_counts as kept using ended
    where (kept.space_id, kept.minute, kept.counter) = (ended.space_id, ended.minute, ended.counter)`,
  `with ended as (
    select space_id, replica from event_listeners as kept
    where listeners = 0 or not exists (
      select from replicas where id = replica and ends_at > ${DATABASE_NOW})
    limit ${STEP} for update of kept skip locked
  ) delete from event_listeners as kept using ended
    where (kept.space_id, kept.replica) = (ended.space_id, ended.replica)`,
  `delete from replicas where ends_at < ${DATABASE_NOW} - ${DAY_MS}`,
];
