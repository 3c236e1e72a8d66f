import { setTimeout } from 'node:timers/promises';
import { SerialisationFailure, StorageUnavailable } from '../../../lib/threads/index.ts';
import type { Pool } from '../pool.ts';

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
