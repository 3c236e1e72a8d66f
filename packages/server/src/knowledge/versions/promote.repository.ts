import type { KnowledgeDatabase, KnowledgeEngine } from '../../storage/ports/index.ts';
import { createVersionWrites } from './version-writes.repository.ts';

/**
 * Makes an indexed version the current version of its document and removes all other versions. Call it in the transaction that
 * locks the current version and makes the new version `ready`. Does nothing if the version is the current version already.
 */
export async function promote(
  trx: KnowledgeDatabase,
  engine: KnowledgeEngine,
  spaceId: string,
  number: number,
): Promise<void> {
  const inSpace = trx.selectFrom('documents').where('space_id', '=', spaceId);
  const { replaces } = await inSpace
    .where('number', '=', number)
    .select('replaces')
    .executeTakeFirstOrThrow();
  if (replaces === null) return;
  const current = await inSpace
    .where('number', '=', replaces)
    .select(['id', 'external_key', 'created_at', 'number', 'metadata'])
    .executeTakeFirstOrThrow();
  // One query with `or` for this and the next rows would read all documents of the space.
  const others = await inSpace
    .where('replaces', '=', replaces)
    .where('number', '!=', number)
    .select(['number', 'metadata'])
    .orderBy('number')
    .execute();
  const { id, external_key, created_at } = current;
  const versions = createVersionWrites(engine);
  for (const other of [current, ...others])
    for (const write of versions.remove(spaceId, other)) await trx.executeQuery(write.compile());
  await trx
    .updateTable('documents')
    .set({ id, external_key, created_at, replaces: null })
    .where('space_id', '=', spaceId)
    .where('number', '=', number)
    .execute();
  await trx
    .updateTable('knowledge_spaces')
    .set(({ eb }) => ({ replacements: eb('replacements', '+', 1) }))
    .where('space_id', '=', spaceId)
    .execute();
}
