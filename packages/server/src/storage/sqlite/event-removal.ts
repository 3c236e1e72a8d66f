import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { EventBound, EventStore } from '../ports/event-store.ts';
import type { Writer } from './writer/writer.ts';

/** Rows per step, so that ingest never waits long. */
const ROWS_PER_STEP = 64;
const RETRY_MS = 1000;
/** Rows examined for one bound; the caller asks again once these are removed. */
const ROWS_LOOKED_AT = 1024;
/** The newest row whose identities are in segments; the index needs no row up to there. */
const COVERED =
  "(select coalesce(max(through_batch), 0) from identity_segments where state = 'live')";

/** Retention of `EventStore`. The file does not shrink, but its pages are reused. */
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
    await writer.atomically([
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
      // The remaining rows hold the only copy of their identities.
      {
        sql: `update event_batches set count = 0, encoding = 'none', ends = x'', texts = x'' where ${these}`,
        parameters: [spaceId, ids],
      },
    ]);
    const removed = rows.reduce((sum, row) => sum + Number(row['count']), 0);
    // All of these rows may have been emptied before.
    return removed === 0 ? removeSome(spaceId, through) : removed;
  }

  return { beyond: async (spaceId, bound) => beyond(spaceId, bound), removeSome };
}

/**
 * Removes a space's events in small steps between other writes. Retries while the store cannot be written. `signal`
 * ends it early; the next start continues.
 */
export async function removeSpaceEvents(
  writer: Writer,
  spaceId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await removeStep(writer, spaceId)) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof StorageUnavailable)) throw error;
      await setTimeout(RETRY_MS, null, { signal, ref: false }).catch(() => {});
    }
  }
}

/** Returns whether nothing is left. */
async function removeStep(writer: Writer, spaceId: string): Promise<boolean> {
  const rows = await writer.statement(
    'delete from event_batches where id in (select id from event_batches where space_id = ? limit ?)',
    [spaceId, ROWS_PER_STEP],
  );
  if (rows.changes > 0) return false;
  await writer.statement('delete from event_knowledge_batches where space_id = ?', [spaceId]);
  // A request admitted before the removal may append in between; the next start removes its events.
  await writer.statement(
    'delete from event_heads where space_id = ? and not exists (select 1 from event_batches where event_batches.space_id = event_heads.space_id)',
    [spaceId],
  );
  return true;
}
