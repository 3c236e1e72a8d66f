import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { EventBound, EventStore } from '../ports/event-store.ts';
import type { Writer } from './writer/writer.ts';

/** Maximum rows per transaction. Small transactions keep the delay of ingest short. */
const ROWS_PER_STEP = 64;
const RETRY_MS = 1000;
const MAX_EXAMINED_ROWS = 1024;
/** SQL that selects the newest row whose identities are in segments. The identity index needs neither this row nor older rows. */
const COVERED =
  "(select coalesce(max(through_batch), 0) from identity_segments where state = 'live')";

/** Implements retention. The database file does not shrink, but SQLite reuses its pages. */
export function createRetention(
  reader: DatabaseSync,
  writer: Pick<Writer, 'atomically'>,
): Pick<EventStore, 'retentionCutoff' | 'removeUpTo'> {
  const oldest = reader.prepare(
    'select last_position, received_at from event_batches where space_id = ? and count > 0 order by last_position limit ?',
  );
  const sizes = reader.prepare(
    'select last_position, length(ends) + length(texts) as bytes from event_batches where space_id = ? and count > 0 order by last_position limit ?',
  );
  const storedBytes = reader.prepare('select bytes from event_heads where space_id = ?');
  const step = reader.prepare(
    `select id, count, last_position from event_batches where space_id = ? and last_position <= ? and (count > 0 or id <= ${COVERED}) order by last_position limit ?`,
  );

  function retentionCutoff(spaceId: string, bound: EventBound): number {
    let through = 0;
    if ('since' in bound) {
      for (const row of oldest.iterate(spaceId, MAX_EXAMINED_ROWS)) {
        if (Number(row['received_at']) >= bound.since) break;
        through = Number(row['last_position']);
      }
      return through;
    }
    let over = Number(storedBytes.get(spaceId)?.['bytes'] ?? 0) - bound.bytes;
    if (over <= 0) return 0;
    for (const row of sizes.iterate(spaceId, MAX_EXAMINED_ROWS)) {
      over -= Number(row['bytes']);
      through = Number(row['last_position']);
      if (over <= 0) break;
    }
    return through;
  }

  async function removeUpTo(spaceId: string, through: number): Promise<number> {
    const rows = step.all(spaceId, through, ROWS_PER_STEP);
    if (rows.length === 0) return 0;
    const ids = JSON.stringify(rows.map((row) => row['id']));
    // The plus sign prevents SQLite from reading all rows of the space instead of these rows.
    const these = '+space_id = ? and id in (select value from json_each(?))';
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
      // The remaining rows contain the only copy of their identities.
      {
        sql: `update event_batches set count = 0, encoding = 'none', ends = x'', texts = x'' where ${these}`,
        parameters: [spaceId, ids],
      },
    ]);
    const removed = rows.reduce((sum, row) => sum + Number(row['count']), 0);
    // A previous call may have emptied all of these rows.
    return removed === 0 ? removeUpTo(spaceId, through) : removed;
  }

  return { retentionCutoff: async (spaceId, bound) => retentionCutoff(spaceId, bound), removeUpTo };
}

/**
 * Removes the events of a space in small transactions. Retries every second while the store is unavailable. After
 * `signal` aborts, the removal continues at the next start.
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

/** Removes some rows. Returns `true` when none are left. */
async function removeStep(writer: Writer, spaceId: string): Promise<boolean> {
  const rows = await writer.statement(
    'delete from event_batches where id in (select id from event_batches where space_id = ? limit ?)',
    [spaceId, ROWS_PER_STEP],
  );
  if (rows.changes > 0) return false;
  await writer.statement('delete from event_knowledge_batches where space_id = ?', [spaceId]);
  // An append that was already queued may add rows after this check. The next start removes them.
  await writer.statement(
    'delete from event_heads where space_id = ? and not exists (select 1 from event_batches where event_batches.space_id = event_heads.space_id)',
    [spaceId],
  );
  return true;
}
