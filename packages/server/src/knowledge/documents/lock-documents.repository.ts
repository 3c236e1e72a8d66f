import { type RawBuilder, sql } from 'kysely';
import { SerialisationFailure } from '../../lib/threads/index.ts';
import type { DocumentSelect, KnowledgeEngine } from '../../storage/ports/index.ts';

/**
 * Locks the current versions of documents until the transaction ends and returns their rows. Call it before any other statement of
 * `inReadCommitted`, so that the other statements see the last change of the documents.
 *
 * @param query selects at most `count` documents, by a property that a document keeps when it is replaced.
 * @throws SerialisationFailure if a newer version became the current version while this transaction waited for the lock.
 */
export async function lockDocuments<Row>(
  { forUpdate }: Pick<KnowledgeEngine, 'forUpdate'>,
  query: DocumentSelect<Row>,
  count = 1,
): Promise<Row[]> {
  const rows = await forUpdate(query.orderBy('id')).execute();
  if (rows.length < count && (await query.execute()).length > rows.length)
    throw new SerialisationFailure('A document was replaced before it was locked.');
  return rows;
}

/**
 * Returns an SQL condition that selects documents of a space by their numbers. It compares both columns together: with `space_id = ?` and
 * a list of numbers, SQLite would read all documents of the space.
 */
export function hasNumberIn(spaceId: string, numbers: readonly number[]): RawBuilder<boolean> {
  const keys = numbers.map((number) => sql`(${spaceId}, cast(${number} as bigint))`);
  return sql<boolean>`(space_id, number) in (values ${sql.join(keys)})`;
}
