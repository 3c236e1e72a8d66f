import { inReadCommitted, type KnowledgeEngine, runWrites } from '../../storage/ports/index.ts';
import { documentIsRecord, noSuchDocument } from '../documents/document.errors.ts';
import { toMetadata } from '../documents/document.rules.ts';
import { lockDocuments } from '../documents/lock-documents.repository.ts';
import { copyOriginal } from './copy-original.repository.ts';
import { versionOf } from './version.rules.ts';
import { createVersionChanges, KNOWN_OF_VERSION } from './version-changes.repository.ts';

/**
 * Queues an indexed document for the indexer, which reads the stored file again, such as with a newer parser. A document with a key stays
 * searchable until it is indexed; other documents cannot be found in the meantime. The properties, `updated_at` and the versions of the
 * document stay the same. Does nothing if the document is not `ready`, or a new version of it is being indexed. Throws 404, or 409 for a
 * record.
 */
export type IndexAgain = (spaceId: string, id: string) => Promise<void>;

export function createIndexAgain(engine: KnowledgeEngine): IndexAgain {
  const { db } = engine;
  const { replace } = createVersionChanges(engine);
  return (spaceId, id) =>
    inReadCommitted(db, async (trx) => {
      const ofDocument = trx
        .selectFrom('documents')
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .where('replaces', 'is', null)
        .select([...KNOWN_OF_VERSION, 'size', 'updated_at', 'projection_id']);
      const [current] = await lockDocuments(engine, ofDocument);
      if (current === undefined) throw noSuchDocument();
      if (current.projection_id !== null) throw documentIsRecord();
      if (current.state !== 'ready' || current.next_number !== null) return;
      const { number, size, sha256 } = current;
      const original = { space_id: spaceId, content: number, size, sha256 };
      const version = versionOf(
        {
          fileName: current.file_name,
          mimeType: current.mime_type,
          content: await copyOriginal(engine, trx, original),
          metadata: toMetadata(current.metadata),
          language: current.language ?? undefined,
          title: current.given_title ?? undefined,
          url: current.url ?? undefined,
        },
        Date.parse(current.updated_at),
      );
      await runWrites(trx, await replace(trx, spaceId, { current, newest: current }, version));
    });
}
