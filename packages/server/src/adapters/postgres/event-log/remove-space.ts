import { setTimeout } from 'node:timers/promises';
import { SerialisationFailure, StorageUnavailable } from '../../../ports/storage-error.ts';
import type { Pool } from '../pool.ts';

/** Rows of batches, and of what is small, that go in one step. */
const BATCHES_PER_STEP = 64;
const ROWS_PER_STEP = 5_000;
const PAUSE_MS = 1_000;

/** In this order: whose head is there is found again, whoever began with it. */
const STEPS = [
  { table: 'event_batches', key: 'last_position', rows: BATCHES_PER_STEP },
  { table: 'event_knowledge_batches', key: 'last_position', rows: ROWS_PER_STEP },
  { table: 'event_identities', key: 'identity', rows: ROWS_PER_STEP },
] as const;

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
  for (const { table, key, rows: most } of STEPS) {
    // Behind what has gone before: the index still leads there until the server has tidied up.
    let last: unknown = null;
    while (!signal.aborted) {
      const { rows: gone } = await pool.run(
        `with doomed as (
          select ${key} from ${table} where space_id = $1 and ($2::text is null or ${key} > $2::text::${table === 'event_identities' ? 'uuid' : 'bigint'})
          order by ${key} limit $3
        ), gone as (
          delete from ${table} where space_id = $1 and ${key} in (select ${key} from doomed)
        ) select ${key}::text as last from doomed order by ${key} desc limit 1`,
        [spaceId, last, most],
      );
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
