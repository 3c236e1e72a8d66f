import type { EventBound, EventStore } from '../../ports/event-store.ts';
import type { Pool } from '../pool.ts';
import { onceMore } from './once-more.ts';

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
      const { rows } = await onceMore(() =>
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
