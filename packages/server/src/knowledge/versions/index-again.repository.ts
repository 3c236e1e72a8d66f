import { inReadCommitted, type KnowledgeEngine, runWrites } from '../../storage/ports/index.ts';
import { copyOriginal } from './copy-original.repository.ts';
import { versionFrom } from './version.rules.ts';
import { createVersionChanges, lockCurrentVersion } from './version-changes.repository.ts';

/**
 * Queues a document that is `ready` for the indexer, which reads the stored file again, for example with a newer parser. A document with a
 * key stays searchable until it is indexed; other documents cannot be found in the meantime. The properties, `updated_at` and the versions
 * of the document stay the same. Does nothing if the document is being indexed. Throws 404, or 409 for a record.
 */
export type IndexAgain = (spaceId: string, id: string) => Promise<void>;

export function createIndexAgain(engine: KnowledgeEngine): IndexAgain {
  const { db } = engine;
  const { replace } = createVersionChanges(engine);
  return (spaceId, id) =>
    inReadCommitted(db, async (trx) => {
      const current = await lockCurrentVersion(engine, trx, spaceId, id);
      if (current.state !== 'ready' || current.next_number !== null) return;
      const { number, size, sha256, title } = current;
      const original = { space_id: spaceId, content: number, size, sha256 };
      const copy = await copyOriginal(engine, trx, original);
      const version = versionFrom(current, copy, Date.parse(current.updated_at));
      await runWrites(trx, [
        ...(await replace(trx, spaceId, { current, newest: current }, version)),
        // The title in the file is shown while the file is read again.
        trx
          .updateTable('documents')
          .set({ title })
          .where('space_id', '=', spaceId)
          .where('number', '=', copy.number),
      ]);
    });
}
