import { sql } from 'kysely';
import type { Database } from '../../packages/server/src/storage/ports/index.ts';
import { connectTo, ON_POSTGRES } from '../../packages/server/tests/support/storage/backend.ts';
import { openStoreOf } from '../lib/open-store.ts';

const ROWS_PER_STATEMENT = 50_000;
const HOUR = 3600;

/**
 * Fills a space with links, documents and entries of the audit by SQL. The service must not run. One in 1,000 documents failed, one in ten links
 * is revoked, and half of the others have expired. A person has five links.
 */
export async function fillLists(directory: string, spaceId: string, rows: number): Promise<void> {
  await using store = await openStoreOf(directory);
  const { db } = store;
  const space = await spaceNumber(db, spaceId, rows);
  const now = Date.now();
  for (let from = 0; from < rows; from += ROWS_PER_STATEMENT) {
    const i = series(from, Math.min(from + ROWS_PER_STATEMENT, rows));
    await sql`insert into links (id, space_id, token_hash, token_prefix, sub, payload, exp, created_at, revoked_at, restricted, warnings,
        creator_kind, creator_id, creator_address, has_permission_filter)
      select ${idOf('a')}, ${spaceId}, ${idOf('f')}, 'abcdef', 'customer-' || (i / 5),
        '{"v":1,"permissionFilter":{"audience":{"eq":"customers"}}}',
        ${sql.lit(Math.floor(now / 1000))} + case when i % 2 = 0 then ${sql.lit(10 * HOUR)} else ${sql.lit(-HOUR)} end,
        ${sql.lit(now)}, case when i % 10 = 0 then ${sql.lit(now)} end, 1, '[]',
        'api-key', 'key-' || (i % 100), '127.0.0.1', 1 from ${i}`.execute(db);
    await sql`insert into documents (number, space_id, id, file_name, file_name_folded, mime_type, state, failure, created_at, updated_at,
        metadata, metadata_folded, size, sha256, passages)
      select ${sql.lit(space)} + i + 1, ${spaceId}, ${idOf('b')}, 'Document ' || i || '.txt', 'document ' || i || '.txt', 'text/plain',
        case when i % 1000 = 999 then 'failed' else 'ready' end, case when i % 1000 = 999 then 'The file is damaged.' end,
        '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z',
        '{"audience":"customers"}',
        ${ON_POSTGRES ? sql`cast('{"audience":"customers"}' as jsonb)` : sql`'{"audience":"customers"}'`},
        100, ${idOf('c')}, 1 from ${i}`.execute(db);
    await sql`insert into document_values (space_id, path, value, document)
      select ${spaceId}, 'audience', 's:customers', ${sql.lit(space)} + i + 1 from ${i}`.execute(
      db,
    );
    await sql`insert into audit_entries (id, at, action, actor_kind, actor_id, address, resource_space_id, resource_id)
      select ${idOf('d')}, ${sql.lit(now)}, case when i % 10000 = 0 then 'space.changed' else 'link.opened' end,
        'api-key', 'key-' || (i % 100), '127.0.0.1', ${spaceId}, ${idOf('a')} from ${i}`.execute(
      db,
    );
    process.stderr.write(`${Math.min(from + ROWS_PER_STATEMENT, rows)} of ${rows} rows\n`);
  }
  if (!ON_POSTGRES) return;
  const client = await connectTo(directory);
  await client.query('vacuum analyze');
  await client.end();
}

/** Returns the number of the space's document 0. */
async function spaceNumber(db: Database, spaceId: string, rows: number): Promise<number> {
  if (ON_POSTGRES) return 0;
  await sql`insert into knowledge_spaces (space_id, last_document) values (${spaceId}, ${rows})`.execute(
    db,
  );
  const { rows: found } = await sql<{
    number: number;
  }>`select number from knowledge_spaces where space_id = ${spaceId}`.execute(db);
  return (found[0]?.number ?? 0) * 2 ** 27;
}

/** A table with the column `i` and the whole numbers of a range. */
function series(from: number, before: number) {
  return ON_POSTGRES
    ? sql`generate_series(${sql.lit(from)}, ${sql.lit(before - 1)}) as n (i)`
    : sql`(with recursive n (i) as (select ${sql.lit(from)} union all select i + 1 from n where i < ${sql.lit(before - 1)}) select i from n)`;
}

/** A UUID that increases with `i`. `kind` distinguishes the tables. */
function idOf(kind: string) {
  const hexadecimal = ON_POSTGRES ? sql`lpad(to_hex(i), 8, '0')` : sql`printf('%08x', i)`;
  return sql`'0190' || substr(${hexadecimal}, 1, 4) || '-' || substr(${hexadecimal}, 5, 4) || '-7000-8000-00000000000' || ${sql.lit(kind)}`;
}
