import { type RawBuilder, sql } from 'kysely';
import type { DocumentKey, KnowledgeDatabase } from '../../ports/knowledge-engine.ts';

/** What goes in one transaction: the longer one takes, the sooner it comes in another's way. */
const PASSAGES_PER_STEP = 500;
const PIECES_PER_STEP = 50;
const DOCUMENTS_PER_STEP = 50;
const ROWS_PER_STEP = 1000;

/** Removes some of what was kept for a document, and when it is deleted all else it left; true when all is gone. */
export async function dropSome(
  trx: KnowledgeDatabase,
  { spaceId, number }: DocumentKey,
): Promise<boolean> {
  const some = (table: RawBuilder<unknown>, count: number) => sql`delete from ${table}
    where space_id = ${spaceId} and document = ${number} and position in (
      select position from ${table} where space_id = ${spaceId} and document = ${number}
      order by position limit ${sql.lit(count)}
    )`;
  for (const [table, count] of [
    [sql.table('passages'), PASSAGES_PER_STEP],
    [sql.table('document_sketches'), PIECES_PER_STEP],
    [sql.table('document_vectors'), PIECES_PER_STEP],
  ] as const)
    if (await removed(trx, some(table, count))) return false;
  await sql`delete from document_parts where space_id = ${spaceId} and document = ${number}
    and not exists (
      select from documents where space_id = ${spaceId} and number = ${number}
    )`.execute(trx);
  await sql`delete from document_remains
    where space_id = ${spaceId} and number = ${number}`.execute(trx);
  return true;
}

/** Deletes some documents of a space that is gone, and what else names them; true when none is left. */
export async function dropSomeOfSpace(trx: KnowledgeDatabase, spaceId: string): Promise<boolean> {
  const documents = sql`select number from documents where space_id = ${spaceId}
    order by number limit ${sql.lit(DOCUMENTS_PER_STEP)}`;
  await sql`insert into document_remains (space_id, number)
    select ${spaceId}, number from (${documents}) as gone
    on conflict (space_id, number) do nothing`.execute(trx);
  const steps = [
    sql`delete from documents where space_id = ${spaceId} and number in (${documents})`,
    sql`delete from document_values where space_id = ${spaceId} and (path, value, document) in (
      select path, value, document from document_values where space_id = ${spaceId}
      limit ${sql.lit(ROWS_PER_STEP)}
    )`,
    sql`delete from document_events where space_id = ${spaceId} and subject in (
      select subject from document_events where space_id = ${spaceId}
      limit ${sql.lit(ROWS_PER_STEP)}
    )`,
  ];
  let any = false;
  for (const step of steps) any = (await removed(trx, step)) || any;
  if (any) return false;
  await sql`delete from knowledge_spaces where space_id = ${spaceId}`.execute(trx);
  return true;
}

async function removed(trx: KnowledgeDatabase, query: RawBuilder<unknown>): Promise<boolean> {
  const { numAffectedRows = 0n } = await query.execute(trx);
  return numAffectedRows !== 0n;
}
