import { setTimeout } from 'node:timers/promises';
import { SerialisationFailure, StorageUnavailable } from '../../../lib/threads/index.ts';
import type { EventBound, EventStore } from '../../ports/event-store.ts';
import type { Pool } from '../pool.ts';
import { retryOnce } from '../retry.ts';

/** Rows that go in one step, so that the space's head is never held long. */
const ROWS_PER_STEP = 64;
/** Rows that are looked at for one bound; what is left is found when these are gone. */
const ROWS_LOOKED_AT = 1024;

const LAST_BEFORE = `
select coalesce(max(last_position), 0) as through from (
  select last_position, min(received_at) filter (where received_at >= $2) over (
    order by last_position rows unbounded preceding
  ) as kept
  from (
    select last_position, received_at from event_batches
    where space_id = $1 order by last_position limit $3
  ) as oldest
) as batch where kept is null`;

const LAST_BEYOND = `
select coalesce(min(last_position) filter (where left_over <= 0), max(last_position), 0) as through from (
  select last_position, head.bytes - $2::bigint - sum(oldest.bytes) over (
    order by last_position rows unbounded preceding
  ) as left_over
  from (
    select bytes from event_heads where space_id = $1 and bytes > $2::bigint
  ) as head cross join (
    select last_position, (octet_length(ends) + octet_length(texts))::bigint as bytes
    from event_batches where space_id = $1 order by last_position limit $3
  ) as oldest
) as batch`;

const REMOVE_SOME = `
with doomed as (
  select last_position from event_batches
  where space_id = $1 and last_position <= $2 order by last_position limit $3
),
gone as (
  delete from event_batches where space_id = $1 and last_position in (select last_position from doomed)
  returning last_position, count, octet_length(ends) + octet_length(texts) as bytes
),
unmarked as (
  delete from event_knowledge_batches
  where space_id = $1 and last_position in (select last_position from doomed)
),
counted as (
  update event_heads set bytes = greatest(0, bytes - (select coalesce(sum(bytes), 0) from gone))
  where space_id = $1 and exists (select 1 from gone)
)
select coalesce(sum(count), 0)::bigint as removed, (select count(*) from doomed) as found from gone`;

/** Where old events end, and their removal; see `EventStore`. */
export function createRetention(pool: Pool): Pick<EventStore, 'beyond' | 'removeSome'> {
  async function removeSome(spaceId: string, through: number): Promise<number> {
    for (;;) {
      const { rows } = await retryOnce(() =>
        pool.run(REMOVE_SOME, [spaceId, through, ROWS_PER_STEP]),
      );
      const removed = Number(rows[0]?.['removed']);
      // Where another replica was quicker with these there may be others.
      if (removed > 0 || Number(rows[0]?.['found']) === 0) return removed;
    }
  }

  return {
    beyond: async (spaceId: string, bound: EventBound) => {
      const { rows } = await ('since' in bound
        ? pool.read(LAST_BEFORE, [spaceId, bound.since, ROWS_LOOKED_AT])
        : pool.read(LAST_BEYOND, [spaceId, bound.bytes, ROWS_LOOKED_AT]));
      return Number(rows[0]?.['through'] ?? 0);
    },
    removeSome,
  };
}

/** In this order: whose head is there is found again, whoever began with it. */
const STEPS = [
  { table: 'event_batches', space: 'text', key: 'last_position', keyType: 'bigint', rows: 64 },
  {
    table: 'event_knowledge_batches',
    space: 'text',
    key: 'last_position',
    keyType: 'bigint',
    rows: 5_000,
  },
  { table: 'event_identities', space: 'uuid', key: 'identity', keyType: 'uuid', rows: 5_000 },
] as const;
const PAUSE_MS = 1_000;

/**
 * Removes a space's events, a few rows at a time. Several replicas may do so at once. A server that cannot
 * write now is asked again; `signal` ends it early, and whoever looks for orphans next goes on.
 */
export async function removeSpaceEvents(
  pool: Pool,
  spaceId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await removeAll(pool, spaceId, signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      const mayPass = error instanceof StorageUnavailable || error instanceof SerialisationFailure;
      if (!mayPass) throw error;
      await setTimeout(PAUSE_MS, null, { signal, ref: false }).catch(() => {});
    }
  }
}

/** Spaces that are gone and have events. */
export async function findOrphans(pool: Pool): Promise<string[]> {
  const { rows } = await pool.read(
    'select space_id from event_heads where not exists (select 1 from spaces where id = space_id)',
  );
  return rows.map((row) => String(row['space_id']));
}

async function removeAll(pool: Pool, spaceId: string, signal: AbortSignal): Promise<void> {
  const { rows } = await pool.read('select last_position from event_heads where space_id = $1', [
    spaceId,
  ]);
  for (const step of STEPS) {
    // Behind what has gone before: the index still leads there until the server has tidied up.
    let last: unknown = null;
    while (!signal.aborted) {
      const { rows: gone } = await pool.run(removeSome(step), [spaceId, last, step.rows]);
      if (gone.length === 0) break;
      last = gone[0]?.['last'];
    }
  }
  if (signal.aborted) return;
  // A request that was let in before the removal may have come in between: then it has moved on.
  await pool.run('delete from event_heads where space_id = $1 and last_position = $2', [
    spaceId,
    Number(rows[0]?.['last_position'] ?? 0),
  ]);
}

function removeSome({ table, space, key, keyType }: (typeof STEPS)[number]): string {
  return `
    with doomed as (
      select ${key} from ${table}
      where space_id = $1::${space} and ($2::text is null or ${key} > $2::text::${keyType})
      order by ${key} limit $3
    ),
    gone as (
      delete from ${table} where space_id = $1::${space} and ${key} in (select ${key} from doomed)
    )
    select ${key}::text as last from doomed order by ${key} desc limit 1`;
}
