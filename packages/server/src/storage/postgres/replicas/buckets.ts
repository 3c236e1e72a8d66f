import type { SharedBuckets } from '../../ports/shared.ts';
import { retryConflicts } from '../../ports/transactions.ts';
import type { Pool } from '../pool.ts';
import { shortKey } from './short-key.ts';

const MOST_AT_ONCE = 1000;

/**
 * Buckets of which one number is kept: when it will be full, by the clock of the database, since here parts of a
 * second count. Rows are locked in the order of their keys, so that nobody waits in a circle.
 */
export function createBuckets(pool: Pool): SharedBuckets {
  return {
    take: async (taken) => {
      const fullIn: number[] = [];
      for (let from = 0; from < taken.length; from += MOST_AT_ONCE) {
        const some = taken.slice(from, from + MOST_AT_ONCE);
        const keys = some.map(({ key }) => shortKey(key));
        const values = [some.map(({ limit }) => limit), keys, some.map(({ ms }) => ms)];
        const { rows } = await retryConflicts(() => pool.run(TAKE, values));
        const byKey = new Map(rows.map((row) => [`${row['name']} ${row['key']}`, row['full_in']]));
        for (const [index, { limit }] of some.entries())
          fullIn.push(Number(byKey.get(`${limit} ${keys[index]}`)));
      }
      return fullIn;
    },
  };
}

/** The time of the transaction, and so the same one wherever it stands. */
const NOW = '(extract(epoch from now()) * 1000)::double precision';

const TAKE = `
  insert into rate_counts as kept (name, key, ends_at, count, times)
  select name, key, ${NOW} + ms, 0, '{}'
  from unnest($1::text[], $2::text[], $3::double precision[]) as taken(name, key, ms)
  order by name collate "C", key collate "C"
  on conflict (name, key) do update set
    ends_at = greatest(kept.ends_at, ${NOW}) + (excluded.ends_at - ${NOW})
  returning name, key, ends_at - ${NOW} as full_in`;
