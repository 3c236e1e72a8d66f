import { setTimeout } from 'node:timers/promises';
import { SerialisationFailure, StorageUnavailable } from '../../../lib/threads/index.ts';
import type { EventBound, EventStore } from '../../ports/event-store.ts';
import type { Pool } from '../pool.ts';
import { retryOnce } from '../retry.ts';

/** Rows removed per statement. The limit shortens the time for which the space's head is locked. */
const ROWS_PER_STEP = 64;
/** Maximum rows that one search for a cutoff examines. Later calls find the remaining rows. */
const MAX_ROWS_EXAMINED = 1024;

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
with selected as (
  select last_position from event_batches
  where space_id = $1 and last_position <= $2 order by last_position limit $3
),
deleted as (
  delete from event_batches where space_id = $1 and last_position in (select last_position from selected)
  returning last_position, count, octet_length(ends) + octet_length(texts) as bytes
),
unmarked as (
  delete from event_knowledge_batches
  where space_id = $1 and last_position in (select last_position from selected)
),
counted as (
  update event_heads set bytes = greatest(0, bytes - (select coalesce(sum(bytes), 0) from deleted))
  where space_id = $1 and exists (select 1 from deleted)
)
select coalesce(sum(count), 0)::bigint as removed, (select count(*) from selected) as found from deleted`;

export function createRetention(pool: Pool): Pick<EventStore, 'retentionCutoff' | 'removeUpTo'> {
  async function removeUpTo(spaceId: string, through: number): Promise<number> {
    for (;;) {
      const { rows } = await retryOnce(() =>
        pool.run(REMOVE_SOME, [spaceId, through, ROWS_PER_STEP]),
      );
      const removed = Number(rows[0]?.['removed']);
      // If another replica removed the selected rows, select again.
      if (removed > 0 || Number(rows[0]?.['found']) === 0) return removed;
    }
  }

  return {
    retentionCutoff: async (spaceId: string, bound: EventBound) => {
      const { rows } = await ('since' in bound
        ? pool.read(LAST_BEFORE, [spaceId, bound.since, MAX_ROWS_EXAMINED])
        : pool.read(LAST_BEYOND, [spaceId, bound.bytes, MAX_ROWS_EXAMINED]));
      return Number(rows[0]?.['through'] ?? 0);
    },
    removeUpTo,
  };
}

/**
 * Tables from which the events of a deleted space are removed. The head of the space is removed last, because a removal that was
 * interrupted is detected by the head that is still there.
 */
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
 * Removes the events of a space in small steps. Several replicas may remove the same events concurrently. Retries while the
 * server is unavailable. If `signal` aborts, the next search for orphans continues the removal.
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
      const isTransient =
        error instanceof StorageUnavailable || error instanceof SerialisationFailure;
      if (!isTransient) throw error;
      await setTimeout(PAUSE_MS, null, { signal, ref: false }).catch(() => {});
    }
  }
}

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
    // Continue after the removed rows, because the index contains their entries until the server vacuums the table.
    let last: unknown = null;
    while (!signal.aborted) {
      const { rows: deleted } = await pool.run(removeSome(step), [spaceId, last, step.rows]);
      if (deleted.length === 0) break;
      last = deleted[0]?.['last'];
    }
  }
  if (signal.aborted) return;
  // The head is not removed if a request appended events during the removal.
  await pool.run('delete from event_heads where space_id = $1 and last_position = $2', [
    spaceId,
    Number(rows[0]?.['last_position'] ?? 0),
  ]);
}

function removeSome({ table, space, key, keyType }: (typeof STEPS)[number]): string {
  return `
    with selected as (
      select ${key} from ${table}
      where space_id = $1::${space} and ($2::text is null or ${key} > $2::text::${keyType})
      order by ${key} limit $3
    ),
    deleted as (
      delete from ${table} where space_id = $1::${space} and ${key} in (select ${key} from selected)
    )
    select ${key}::text as last from selected order by ${key} desc limit 1`;
}
