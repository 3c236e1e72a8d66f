import type { CopyCounters } from '../../ports/copy.ts';
import { uuidArray } from '../event-log/binary-array.ts';
import type { Pool } from '../pool.ts';

const KEYS_PER_PAGE = 20_000;
const KEY_BYTES = 16;
const NONE = Buffer.alloc(0);

/** Reads the identities of stored events by space, followed by the identities imported from an embedded store. */
export async function* readIdentities(pool: Pool): AsyncGenerator<Uint8Array> {
  const next = `select space_id from event_identities
    where $1::uuid is null or space_id > $1::uuid order by space_id limit 1`;
  for (let space: string | null = null; ; ) {
    const { rows } = await pool.read(next, [space]);
    if (rows[0] === undefined) break;
    space = String(rows[0]['space_id']);
    yield* pages(pool, 'event_identities where space_id = $2 and', [space]);
  }
  yield* pages(pool, 'event_identities_moved where', []);
}

async function* pages(
  pool: Pool,
  from: string,
  parameters: readonly unknown[],
): AsyncGenerator<Uint8Array> {
  let last: string | null = null;
  for (;;) {
    const { rows } = await pool.read(
      `select string_agg(uuid_send(identity), ''::bytea order by identity) as keys from (
        select identity from ${from} ($1::uuid is null or identity > $1::uuid) order by identity limit ${KEYS_PER_PAGE}
      ) as page`,
      [last, ...parameters],
    );
    const keys = (rows[0]?.['keys'] as Buffer | null) ?? NONE;
    if (keys.byteLength > 0) yield keys;
    if (keys.byteLength < KEYS_PER_PAGE * KEY_BYTES) return;
    last = keys.subarray(-KEY_BYTES).toString('hex');
  }
}

/**
 * Stores the identities that are not in `event_identities`. Stores none if that table already contains as many identities as the
 * source provides.
 */
export async function writeIdentities(
  pool: Pool,
  identities: () => AsyncIterable<Uint8Array>,
): Promise<void> {
  let received = 0;
  for await (const chunk of identities()) received += chunk.byteLength / KEY_BYTES;
  const { rows } = await pool.read('select count(*) as stored from event_identities');
  await pool.run('delete from event_identities_moved');
  if (received === Number(rows[0]?.['stored'])) return;
  for await (const chunk of identities())
    await pool.run(
      'insert into event_identities_moved select unnest($1::uuid[]) on conflict do nothing',
      [uuidArray([chunk])],
    );
  await pool.run(`delete from event_identities_moved as moved using event_identities as stored
    where moved.identity = stored.identity`);
}

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

/** Sets the sequences. A sequence that the source has not used stays unused. */
export async function writeCounters(pool: Pool, counters: CopyCounters): Promise<void> {
  for (const [name, sequence] of Object.entries(SEQUENCES)) {
    const last = counters[name as keyof CopyCounters];
    await pool.run(
      `select setval((${sequence})::regclass, greatest($1::bigint, 1), $1::bigint > 0)`,
      [last],
    );
  }
}
