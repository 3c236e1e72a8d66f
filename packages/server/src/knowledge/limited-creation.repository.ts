import { sql, type Transaction } from 'kysely';
import type { KnowledgeTables } from '../storage/ports/index.ts';

/**
 * Returns the reason why a row cannot be added to a table, or `null`: its space was deleted, or has `maximum` rows that are not being deleted.
 */
export async function creationRefusal(
  trx: Transaction<KnowledgeTables>,
  table: 'crawls' | 'projections',
  { spaceId, maximum }: { readonly spaceId: string; readonly maximum: number },
): Promise<'no-space' | 'too-many' | null> {
  const { rows } = await sql`select id from spaces where id = ${spaceId}`.execute(trx);
  if (rows.length === 0) return 'no-space';
  const others = await trx
    .selectFrom(table)
    .select('id')
    .where('space_id', '=', spaceId)
    .where('state', '<>', 'deleting')
    .execute();
  return others.length >= maximum ? 'too-many' : null;
}
