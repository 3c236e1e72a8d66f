import type { FilterRecord } from '@gatehouse/filter';
import type { DocumentRow, KnowledgeEngine, KnowledgeScope } from '../../storage/ports/index.ts';
import { toMetadata } from '../documents/document.rules.ts';

const RECORD = [
  'file_name',
  'mime_type',
  'language',
  'created_at',
  'updated_at',
  'metadata',
] as const;

export interface DocumentMetadata {
  readonly id: string;
  /** JSON text. */
  readonly metadata: string;
}

export type PreviewRepository = ReturnType<typeof createPreviewRepository>;

export function createPreviewRepository(engine: KnowledgeEngine) {
  const inScope = (scope: KnowledgeScope) =>
    engine
      .scanning(scope)
      .selectFrom('documents')
      .where('documents.space_id', '=', scope.spaceId)
      .where(engine.permits(scope));

  return {
    /**
     * Returns the records that a filter must match so that a scope contains a document: the indexed version and, while a newer
     * version is being indexed, that version. Returns an empty list if the document does not exist.
     */
    async versions(scope: KnowledgeScope, id: string): Promise<FilterRecord[]> {
      const current = await inScope(scope)
        .where('documents.id', '=', id)
        .select([...RECORD, 'documents.number'])
        .executeTakeFirst();
      if (current === undefined) return [];
      const newer = await engine
        .scanning(scope)
        .selectFrom('documents')
        .where('documents.space_id', '=', scope.spaceId)
        .where('documents.replaces', '=', current.number)
        .select(RECORD)
        .execute();
      return [current, ...newer].map(toRecord);
    },

    /** Returns the metadata of at most `count` documents in the scope with ids less than `before`, newest first. */
    newestMetadata(
      scope: KnowledgeScope,
      before: string | null,
      count: number,
    ): Promise<DocumentMetadata[]> {
      let query = inScope(scope).select(['documents.id', 'documents.metadata']);
      if (before !== null) query = query.where('documents.id', '<', before);
      return query.orderBy('documents.id', 'desc').limit(count).execute();
    },
  };
}

function toRecord(row: Pick<DocumentRow, (typeof RECORD)[number]>): FilterRecord {
  return {
    fileName: row.file_name,
    mimeType: row.mime_type,
    language: row.language,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    metadata: toMetadata(row.metadata),
  };
}
