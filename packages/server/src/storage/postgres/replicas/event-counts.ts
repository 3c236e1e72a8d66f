import type { EventCounts } from '../../ports/shared.ts';
import type { Pool } from '../pool.ts';
import { DATABASE_NOW } from './replica.ts';

export async function createEventCounts(pool: Pool, replica: string): Promise<EventCounts> {
  const { rows } = await pool.read(SINCE);
  return {
    since: Date.parse(String(rows[0]?.['since'])),
    put: async (counts) => {
      if (counts.length === 0) return;
      await pool.run(UPSERT_COUNTS, [
        counts.map(({ spaceId }) => spaceId),
        counts.map(({ minute }) => minute),
        counts.map(({ counter }) => counter),
        counts.map((each) => each.counts),
      ]);
    },
    others: async (spaceId, from, counter) => {
      const found = await pool.read(OTHERS, [spaceId, from, counter]);
      return found.rows.map(({ minute, counts }) => ({
        minute: Number(minute),
        counts: String(counts),
      }));
    },
    putListeners: async (listeners) => {
      if (listeners.size === 0) return;
      await pool.run(UPSERT_LISTENERS, [replica, [...listeners.keys()], [...listeners.values()]]);
    },
    listenersElsewhere: async (spaceId) => {
      const found = await pool.read(LISTENERS, [spaceId, replica]);
      return Number(found.rows[0]?.['listeners']);
    },
  };
}

const SINCE = 'select min(applied_at) as since from migrations';

const UPSERT_COUNTS = `
  insert into event_counts as kept (space_id, minute, counter, counts)
  select * from unnest($1::text[], $2::bigint[], $3::text[], $4::text[])
  on conflict (space_id, minute, counter) do update set counts = excluded.counts`;

const OTHERS = `
  select minute, counts from event_counts
  where space_id = $1 and minute >= $2 and counter <> $3`;

const UPSERT_LISTENERS = `
  insert into event_listeners as kept (space_id, replica, listeners)
  select space_id, $1, listeners from unnest($2::text[], $3::integer[]) as counted(space_id, listeners)
  on conflict (space_id, replica) do update set listeners = excluded.listeners`;

const LISTENERS = `
  select coalesce(sum(listeners), 0)::integer as listeners from event_listeners
  where space_id = $1 and replica <> $2
    and replica in (select id from replicas where ends_at > ${DATABASE_NOW})`;
