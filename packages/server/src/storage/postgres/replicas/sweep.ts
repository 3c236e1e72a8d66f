import { DAY_MS, FirstFailure } from '../../../lib/scheduling/index.ts';
import { TRIM_CHANGES } from '../knowledge/ranking/change-log.ts';
import type { Pool } from '../pool.ts';
import { DATABASE_NOW } from './replica.ts';

const SWEEP_EVERY_MS = 30_000;
const ROWS_PER_STATEMENT = 1000;
/** Tolerance for differences between the replicas' clocks. */
const CLOCK_TOLERANCE_MS = 120_000;
const HOUR_MINUTES = 60;

/**
 * Periodically removes expired rows of limits and statistics, and old document changes. Every replica does this and skips rows that another replica has
 * locked.
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

export async function sweep(pool: Pool, signal: AbortSignal): Promise<void> {
  let after: readonly unknown[] | null = ['', ''];
  while (after !== null && !signal.aborted) {
    const { rows } = await pool.run(SWEEP_COUNTS, after);
    const [last] = rows;
    after = last === undefined ? null : [last['name'], last['key']];
  }
  for (const statement of SWEEP_REST)
    while (!signal.aborted && (await pool.run(statement)).count === ROWS_PER_STATEMENT);
}

const HAS_ENDED = `ends_at < ${DATABASE_NOW} - ${CLOCK_TOLERANCE_MS}`;

/**
 * Scans the table by key. An index by time would have to be updated with every count. The rows are found again by `ctid`, because the
 * planner joins the keys of a page with all rows of the table.
 */
const SWEEP_COUNTS = `
  with examined as (
    select ctid as place, name, key, ends_at from rate_counts
    where (name, key) > ($1, $2) order by name, key limit ${ROWS_PER_STATEMENT}
  ), ended as (
    select ctid as place from rate_counts
    where ctid = any(array(select place from examined where ${HAS_ENDED})) and ${HAS_ENDED}
    for update skip locked
  ), deleted as (
    delete from rate_counts where ctid = any(array(select place from ended))
  )
  select name, key from examined order by name desc, key desc limit 1`;

/** An index can be compared with the clock, which is volatile, only in a subquery. */
const SWEEP_REST = [
  `with ended as (
    select key from semaphores as kept
    where not exists (
      select from unnest(kept.holders) as held(holder)
      join replicas on id = split_part(holder, '/', 1) and ends_at > ${DATABASE_NOW}
    )
    limit ${ROWS_PER_STATEMENT} for update of kept skip locked
  ) delete from semaphores as kept using ended where kept.key = ended.key`,
  `with ended as (
    select space_id, minute, counter from event_counts
    where minute < (select ${DATABASE_NOW} / 60000 - ${HOUR_MINUTES})
    order by minute limit ${ROWS_PER_STATEMENT} for update skip locked
  ) delete from event_counts as kept using ended
    where (kept.space_id, kept.minute, kept.counter) = (ended.space_id, ended.minute, ended.counter)`,
  `with ended as (
    select space_id, replica from event_listeners as kept
    where listeners = 0 or not exists (
      select from replicas where id = replica and ends_at > ${DATABASE_NOW})
    limit ${ROWS_PER_STATEMENT} for update of kept skip locked
  ) delete from event_listeners as kept using ended
    where (kept.space_id, kept.replica) = (ended.space_id, ended.replica)`,
  `delete from replicas where ends_at < ${DATABASE_NOW} - ${DAY_MS}`,
  TRIM_CHANGES,
];
