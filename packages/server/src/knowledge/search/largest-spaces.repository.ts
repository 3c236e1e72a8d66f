import type { KnowledgeDatabase } from '../../storage/ports/index.ts';

/** Returns the IDs of the spaces with at least `minDocuments` documents, largest first. Returns nothing about single documents. */
export async function findLargestSpaces(
  db: KnowledgeDatabase,
  { minDocuments, count }: { readonly minDocuments: number; readonly count: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('documents')
    .groupBy('space_id')
    .having(({ fn }) => fn.countAll(), '>=', minDocuments)
    .orderBy(({ fn }) => fn.countAll(), 'desc')
    .limit(count)
    .select('space_id')
    .execute();
  return rows.map(({ space_id }) => space_id);
}
