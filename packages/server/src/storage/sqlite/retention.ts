import type { DatabaseSync } from 'node:sqlite';
import type { EventBound, EventStore } from '../ports/event-store.ts';
import type { Writer } from './writer/writer.ts';

/** Rows that go in one step, so that ingest never waits long. */
const ROWS_PER_STEP = 64;
/** Rows that are looked at for one bound; what is left is found when these are gone. */
const ROWS_LOOKED_AT = 1024;
/** Up to here the identities stand in segments, and a row is not needed for them any more. */
const COVERED =
  "(select coalesce(max(through_batch), 0) from identity_segments where state = 'live')";

/** Where old events end, and their removal; see `EventStore`. The file does not shrink: its pages are used again. */
export function createRetention(
  reader: DatabaseSync,
  writer: Writer,
): Pick<EventStore, 'beyond' | 'removeSome'> {
  const oldest = reader.prepare(
    'select last_position, received_at from event_batches where space_id = ? and count > 0 order by last_position limit ?',
  );
  const sizes = reader.prepare(
    'select last_position, length(ends) + length(texts) as bytes from event_batches where space_id = ? and count > 0 order by last_position limit ?',
  );
  const taken = reader.prepare('select bytes from event_heads where space_id = ?');
  const step = reader.prepare(
    `select id, count, last_position from event_batches where space_id = ? and last_position <= ? and (count > 0 or id <= ${COVERED}) order by last_position limit ?`,
  );

  function beyond(spaceId: string, bound: EventBound): number {
    let through = 0;
    if ('since' in bound) {
      for (const row of oldest.iterate(spaceId, ROWS_LOOKED_AT)) {
        if (Number(row['received_at']) >= bound.since) break;
        through = Number(row['last_position']);
      }
      return through;
    }
    let over = Number(taken.get(spaceId)?.['bytes'] ?? 0) - bound.bytes;
    if (over <= 0) return 0;
    for (const row of sizes.iterate(spaceId, ROWS_LOOKED_AT)) {
      over -= Number(row['bytes']);
      through = Number(row['last_position']);
      if (over <= 0) break;
    }
    return through;
  }

  async function removeSome(spaceId: string, through: number): Promise<number> {
    const rows = step.all(spaceId, through, ROWS_PER_STEP);
    if (rows.length === 0) return 0;
    const ids = JSON.stringify(rows.map((row) => row['id']));
    const these = 'space_id = ? and id in (select value from json_each(?))';
    await writer.together([
      {
        sql: `update event_heads set bytes = max(0, bytes - (select coalesce(sum(length(ends) + length(texts)), 0) from event_batches where ${these})) where space_id = ?`,
        parameters: [spaceId, ids, spaceId],
      },
      {
        sql: 'delete from event_knowledge_batches where space_id = ? and last_position <= ?',
        parameters: [spaceId, Number(rows.at(-1)?.['last_position'])],
      },
      {
        sql: `delete from event_batches where ${these} and id <= ${COVERED}`,
        parameters: [spaceId, ids],
      },
      // Those are left whose identities stand in their row alone.
      {
        sql: `update event_batches set count = 0, encoding = 'none', ends = x'', texts = x'' where ${these}`,
        parameters: [spaceId, ids],
      },
    ]);
    const removed = rows.reduce((sum, row) => sum + Number(row['count']), 0);
    // Rows that had been emptied before may be all that there was.
    return removed === 0 ? removeSome(spaceId, through) : removed;
  }

  return { beyond: async (spaceId, bound) => beyond(spaceId, bound), removeSome };
}
