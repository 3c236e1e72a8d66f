import { type RawBuilder, sql } from 'kysely';
import type { DocumentKey, KnowledgeDatabase } from '../../ports/knowledge-engine.ts';

/** A document's number holds that of its space in its upper bits, as in the embedded store: 20 and 27 bits. */
const DOCUMENTS_PER_SPACE = 2 ** 27;

/**
 * A number for a document. The row of the space is held until the transaction ends, so that no document is stored in
 * a space that is being deleted.
 */
export async function nextNumber(trx: KnowledgeDatabase, spaceId: string): Promise<number | null> {
  const number = await take(trx, spaceId);
  if (number !== null) return number;
  await sql`insert into knowledge_spaces (space_id) select id from spaces where id = ${spaceId}
    on conflict (space_id) do nothing`.execute(trx);
  return take(trx, spaceId);
}

async function take(trx: KnowledgeDatabase, spaceId: string): Promise<number | null> {
  const { rows } = await sql<{ number: number }>`
    select knowledge_spaces.number::bigint * ${sql.lit(DOCUMENTS_PER_SPACE)}
      + nextval('document_ordinals') as number
    from spaces
    join knowledge_spaces on knowledge_spaces.space_id = spaces.id
    where spaces.id = ${spaceId}
    for key share of spaces`.execute(trx);
  return rows[0]?.number ?? null;
}

/** The statements that give a document another number, and note what was kept for the old one. */
export function renumbering(
  spaceId: string,
  number: number,
  next: number,
): readonly RawBuilder<unknown>[] {
  return [
    sql`update documents set number = ${next}, embedded_by = null
      where space_id = ${spaceId} and number = ${number}`,
    remainsOf({ spaceId, number }),
  ];
}

export function remainsOf({ spaceId, number }: DocumentKey): RawBuilder<unknown> {
  return sql`insert into document_remains (space_id, number) values (${spaceId}, ${number})
    on conflict (space_id, number) do nothing`;
}
