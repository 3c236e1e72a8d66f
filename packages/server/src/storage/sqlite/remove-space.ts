import { setTimeout } from 'node:timers/promises';
import { StorageUnavailable } from '../../lib/threads/index.ts';
import type { Writer } from './writer/writer.ts';

/** Rows that go in one step, so that ingest never waits long. */
const ROWS_PER_STEP = 64;
const RETRY_MS = 1000;

/**
 * Removes a space's events, a few rows at a time, between other writes. A store that cannot write
 * now is asked again; `signal` ends it early, and the next start goes on.
 */
export async function removeSpaceEvents(
  writer: Writer,
  spaceId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (await removeSome(writer, spaceId)) return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof StorageUnavailable)) throw error;
      await setTimeout(RETRY_MS, null, { signal, ref: false }).catch(() => {});
    }
  }
}

/** Whether nothing is left. */
async function removeSome(writer: Writer, spaceId: string): Promise<boolean> {
  const rows = await writer.statement(
    'delete from event_batches where id in (select id from event_batches where space_id = ? limit ?)',
    [spaceId, ROWS_PER_STEP],
  );
  if (rows.changes > 0) return false;
  await writer.statement('delete from event_knowledge_batches where space_id = ?', [spaceId]);
  // A request that was let in before the removal may have come in between; the next start sees it.
  await writer.statement(
    'delete from event_heads where space_id = ? and not exists (select 1 from event_batches where event_batches.space_id = event_heads.space_id)',
    [spaceId],
  );
  return true;
}
