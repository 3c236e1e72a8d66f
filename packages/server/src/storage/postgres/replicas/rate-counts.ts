import { LRUCache } from 'lru-cache';
import { atMost } from '../../../lib/caching/index.ts';
import { type Clock, MINUTE_MS } from '../../../lib/scheduling/index.ts';
import type { Exceeded, Rate, RateCounts, SharedBuckets } from '../../ports/shared.ts';
import { retryConflicts } from '../../ports/transactions.ts';
import type { Pool } from '../pool.ts';
import { shortKey } from './replica.ts';

/** Milliseconds for which a rejection is cached if another replica may undo its count in the meantime. */
const CACHE_REJECTION_MS = 1000;

/**
 * Creates rate counts shared by all replicas. Each count is one statement that commits on its own, so a row is locked only briefly.
 * Rejections are cached in memory, so a flood from one address does not reach the database.
 *
 * Times come from the caller's clock. If a stored window ends implausibly far in the future, a clock was wrong and the window is
 * reset.
 */
export function createRateCounts(pool: Pool, clock: Clock): RateCounts {
  const refusals = new Refusals();

  const run = async (sql: string, values: readonly unknown[]) =>
    (await retryConflicts(() => pool.run(sql, values, { often: true }))).rows;

  async function timesOf({ limit, key }: Rate): Promise<readonly number[]> {
    const rows = await run(READ_TIMES, [limit, shortKey(key), clock()]);
    return rows.map(({ at }) => Number(at));
  }

  async function exceededBy(rate: Rate, now: number): Promise<Exceeded> {
    const times = await timesOf(rate);
    const freeAt = (times[times.length - rate.max] ?? now) + MINUTE_MS;
    const waitMs = Math.max(1, freeAt - now);
    const sureUntil = now + Math.min(waitMs, CACHE_REJECTION_MS);
    refusals.remember(rate, { from: now, freeAt: now + waitMs, sureUntil });
    return { rate, waitMs };
  }

  return {
    countInWindow: async (rate, windowMs) => {
      const now = clock();
      const refused = refusals.of(rate, now);
      if (refused !== null) return { count: rate.max + 1, endsInMs: refused };
      const values = [rate.limit, shortKey(rate.key), now, windowMs];
      const [row = {}] = await run(COUNT_IN_WINDOW, values);
      const count = Number(row['count']);
      // The clock of the replica that started the window may be ahead.
      const endsInMs = Math.min(windowMs, Number(row['ends_at']) - now);
      const endsAt = now + endsInMs;
      if (count > rate.max)
        refusals.remember(rate, { from: now, freeAt: endsAt, sureUntil: endsAt });
      return { count, endsInMs };
    },

    countInMinute: async (rates) => {
      const now = clock();
      for (const rate of rates) {
        const refused = refusals.of(rate, now);
        if (refused !== null) return { rate, waitMs: refused };
      }
      const values = rates.flatMap(({ limit, key, max }) => [limit, shortKey(key), max]);
      const [row = {}] = await run(countInMinute(rates.length), [now, ...values]);
      const counted = Number(row['counted']);
      const refused = rates[counted];
      if (refused === undefined) return null;
      for (const rate of rates.slice(0, counted))
        await run(UNCOUNT, [rate.limit, shortKey(rate.key), now]);
      return exceededBy(refused, now);
    },
  };
}

const COUNT_IN_WINDOW = `
  insert into rate_counts as kept (name, key, ends_at, count, times)
  values ($1, $2, $3::double precision + $4::double precision, 1, '{}')
  on conflict (name, key) do update set
    count = case when ${isCurrent()} then kept.count + 1 else 1 end,
    ends_at = case when ${isCurrent()} then kept.ends_at else excluded.ends_at end
  returning count, ends_at`;

/** The clocks of replicas differ slightly. If a window ends more than two windows in the future, a clock was changed. */
function isCurrent(): string {
  return '(kept.ends_at > $3 and kept.ends_at <= $3 + 2 * $4)';
}

function recent(times: string, now: string): string {
  return `array(
    select at from unnest(${times}) with ordinality as time(at, place)
    where at > ${now}::bigint - ${MINUTE_MS} and at <= ${now}::bigint + ${MINUTE_MS}
    order by place)`;
}

/**
 * Returns a statement that counts a request in each rate in order, until a rate is exhausted. The statement returns how many
 * rates were counted.
 */
function countInMinute(rates: number): string {
  const counts = Array.from({ length: rates }, (_, index) => {
    const [name, key, max] = [2, 3, 4].map((place) => `$${place + 3 * index}`);
    const before = index === 0 ? 'true' : `exists (select from counted_${index - 1})`;
    return `counted_${index} as (
      insert into rate_counts as kept (name, key, ends_at, count, times)
      select ${name}, ${key}, $1::bigint + ${MINUTE_MS}, 0, array[$1::bigint] where ${before}
      on conflict (name, key) do update set
        times = ${recent('kept.times', '$1')} || excluded.times, ends_at = excluded.ends_at
      where cardinality(${recent('kept.times', '$1')}) < ${max}::integer
      returning 1)`;
  });
  const sum = counts.map((_, index) => `(select count(*) from counted_${index})`).join(' + ');
  return `with ${counts.join(', ')} select (${sum})::integer as counted`;
}

const UNCOUNT = `
  update rate_counts set times =
    times[:array_position(times, $3::bigint) - 1] || times[array_position(times, $3::bigint) + 1:]
  where name = $1 and key = $2 and array_position(times, $3::bigint) is not null`;

const READ_TIMES = `
  select unnest(${recent('times', '$3')}) as at from rate_counts where name = $1 and key = $2`;

/** Times are Unix milliseconds. */
interface Refusal {
  readonly freeAt: number;
  readonly from: number;
  /** The rate has no capacity before this time. After this time, the database must be asked. */
  readonly sureUntil: number;
}

const MAX_REFUSALS = 10_000;

/** Cache of rejections that avoids queries. The least recently used entries are evicted. */
class Refusals {
  readonly #refusals = new LRUCache<string, Refusal>(atMost(MAX_REFUSALS));

  remember(rate: Rate, refusal: Refusal): void {
    this.#refusals.set(nameOf(rate), refusal);
  }

  /** Returns the milliseconds until the rate has capacity, or `null` if the database must be asked. */
  of(rate: Rate, now: number): number | null {
    const name = nameOf(rate);
    const refusal = this.#refusals.get(name);
    if (refusal === undefined) return null;
    // A time before `from` means that the clock was set back.
    if (now >= refusal.from && now < refusal.sureUntil) return refusal.freeAt - now;
    this.#refusals.delete(name);
    return null;
  }
}

function nameOf({ limit, key }: Rate): string {
  return `${limit} ${key}`;
}

const MAX_BUCKETS_PER_STATEMENT = 1000;

/**
 * Creates token buckets. A bucket stores the time at which the bucket is full again. Fractions of a second matter, so
 * the time comes from the clock of the database. Rows are locked in the order of their keys to avoid deadlocks.
 */
export function createBuckets(pool: Pool): SharedBuckets {
  return {
    take: async (taken) => {
      const fullIn: number[] = [];
      for (let from = 0; from < taken.length; from += MAX_BUCKETS_PER_STATEMENT) {
        const chunk = taken.slice(from, from + MAX_BUCKETS_PER_STATEMENT);
        const keys = chunk.map(({ key }) => shortKey(key));
        const values = [chunk.map(({ limit }) => limit), keys, chunk.map(({ ms }) => ms)];
        const { rows } = await retryConflicts(() => pool.run(TAKE, values));
        const byKey = new Map(rows.map((row) => [`${row['name']} ${row['key']}`, row['full_in']]));
        for (const [index, { limit }] of chunk.entries())
          fullIn.push(Number(byKey.get(`${limit} ${keys[index]}`)));
      }
      return fullIn;
    },
  };
}

/** Start of the transaction in Unix milliseconds. This time is constant within a statement. */
const NOW = '(extract(epoch from now()) * 1000)::double precision';

/** If the last report is more than a minute in the future, the clock was set back. The bucket then refills from its level at that report. */
const TAKE = `
  insert into rate_counts as kept (name, key, ends_at, count, times)
  select name, key, ${NOW} + ms, 0, array[${NOW}::bigint]
  from unnest($1::text[], $2::text[], $3::double precision[]) as taken(name, key, ms)
  order by name collate "C", key collate "C"
  on conflict (name, key) do update set
    ends_at = excluded.ends_at + greatest(0, kept.ends_at -
      case when kept.times[1] > ${NOW} + ${MINUTE_MS} then kept.times[1] else ${NOW} end),
    times = excluded.times
  returning name, key, ends_at - ${NOW} as full_in`;
