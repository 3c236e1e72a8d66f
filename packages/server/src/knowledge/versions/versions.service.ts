import type { Document, DocumentVersion, RestoredProperties } from '@gatehouse/contract';
import { UniqueViolation } from '../../lib/threads/index.ts';
import { inTransaction, type KnowledgeScope } from '../../storage/ports/index.ts';
import { noSuchDocument } from '../documents/document.errors.ts';
import { createDocumentRepository } from '../documents/document.repository.ts';
import { shownTitle, toDocument, toMetadata } from '../documents/document.rules.ts';
import { streamParts } from '../documents/document-parts.repository.ts';
import type { DocumentsDeps } from '../documents/upload.service.ts';
import { createRestoreVersion } from './restore.repository.ts';
import { noSuchVersion, sameFileExists } from './version.errors.ts';
import { createVersionHistory, type EarlierVersion } from './version-history.repository.ts';

/**
 * The versions of documents. The scope must be the scope of a caller who may change documents: the filters of a link do not apply to
 * earlier versions. Every method throws 404 if the document does not exist.
 */
export interface DocumentVersions {
  /** Returns the versions, newest first. */
  list(scope: KnowledgeScope, id: string): Promise<DocumentVersion[]>;
  /** Throws 404 `knowledge.no-version`. */
  original(
    scope: KnowledgeScope,
    id: string,
    version: number,
  ): Promise<{ version: DocumentVersion; parts: AsyncIterable<Uint8Array> }>;
  /** Throws 404, or 409 if the properties differ and are not chosen, or if another document has the same file. */
  restore(
    scope: KnowledgeScope,
    id: string,
    version: number,
    properties: RestoredProperties | undefined,
  ): Promise<Document>;
}

export function createDocumentVersions({ engine, clock, onWork }: DocumentsDeps): DocumentVersions {
  const { db } = engine;
  const documents = createDocumentRepository(engine);
  const restoreVersion = createRestoreVersion(engine, clock);

  async function find(scope: KnowledgeScope, id: string) {
    const row = await documents.find(scope, id.toLowerCase());
    if (row === undefined) throw noSuchDocument();
    return row;
  }

  /** Returns the newest version, followed by the earlier versions. */
  async function all(scope: KnowledgeScope, id: string): Promise<VersionRow[]> {
    const { id: documentId } = await find(scope, id);
    return inTransaction(db, async (trx) => {
      const history = createVersionHistory(trx);
      const newest = await history.newest(scope.spaceId, documentId);
      if (newest === undefined) throw noSuchDocument();
      const earlier = await history.list(scope.spaceId, documentId);
      return [{ ...newest, version: (earlier[0]?.version ?? 0) + 1 }, ...earlier];
    });
  }

  return {
    list: async (scope, id) =>
      (await all(scope, id)).map((row, index) => toVersion(row, index === 0)),
    async original(scope, id, version) {
      const rows = await all(scope, id);
      const index = rows.findIndex((row) => row.version === version);
      const row = rows[index];
      if (row === undefined) throw noSuchVersion();
      const key = { spaceId: scope.spaceId, number: row.content };
      return { version: toVersion(row, index === 0), parts: streamParts(db, key, row.size) };
    },
    async restore(scope, id, version, properties) {
      const row = await find(scope, id);
      await restoreVersion(scope.spaceId, row.id, version, properties).catch((error) => {
        throw error instanceof UniqueViolation ? sameFileExists() : error;
      });
      onWork();
      return toDocument(await find(scope, row.id));
    },
  };
}

type VersionRow = Omit<EarlierVersion, 'space_id' | 'document_id'>;

function toVersion(row: VersionRow, isCurrent: boolean): DocumentVersion {
  return {
    version: row.version,
    isCurrent,
    fileName: row.file_name,
    mimeType: row.mime_type,
    language: row.language,
    title: shownTitle(row),
    url: row.url,
    bytes: row.size,
    sha256: row.sha256,
    metadata: toMetadata(row.metadata),
    storedAt: row.stored_at,
  };
}
