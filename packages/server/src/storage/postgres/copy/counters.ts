import type { CopyCounters } from '../../ports/copy.ts';
import type { Pool } from '../pool.ts';

const SEQUENCES = {
  bots: "pg_get_serial_sequence('bots', 'id')",
  knowledgeSpaces: "pg_get_serial_sequence('knowledge_spaces', 'number')",
  ordinals: "'document_ordinals'",
} as const;

export async function readCounters(pool: Pool): Promise<CopyCounters> {
  const lasts = Object.entries(SEQUENCES).map(
    ([name, sequence]) =>
      `coalesce(pg_sequence_last_value((${sequence})::regclass), 0) as "${name}"`,
  );
  const { rows } = await pool.read(`select ${lasts.join()}`);
  const row = rows[0] ?? {};
  return {
    bots: Number(row['bots']),
    knowledgeSpaces: Number(row['knowledgeSpaces']),
    ordinals: Number(row['ordinals']),
  };
}

/** A sequence that was never used stays so. */
export async function writeCounters(pool: Pool, counters: CopyCounters): Promise<void> {
  for (const [name, sequence] of Object.entries(SEQUENCES)) {
    const last = counters[name as keyof CopyCounters];
    await pool.run(
      `select setval((${sequence})::regclass, greatest($1::bigint, 1), $1::bigint > 0)`,
      [last],
    );
  }
}
