import type { FilterRecord } from '@gatehouse/filter';
import type { SpaceAccess } from '../../identity/index.ts';
import { type DocumentRow, isNotRemoved, type KnowledgeEngine } from '../../storage/ports/index.ts';
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

/** Creates the repository of reads for editors, who may see all documents of a space. */
export function createPreviewRepository({ db }: Pick<KnowledgeEngine, 'db'>) {
  return {
    /**
     * Returns the records that a filter must match so that a scope contains a document: the indexed version and, while a newer
     * version is being indexed, that version. Returns an empty list if the document does not exist.
     */
    async versions({ spaceId }: SpaceAccess, id: string): Promise<FilterRecord[]> {
      const ofSpace = db.selectFrom('documents').where('space_id', '=', spaceId).select(RECORD);
      const current = await ofSpace
        .where('id', '=', id)
        .where('replaces', 'is', null)
        .where(isNotRemoved(spaceId))
        .select('number')
        .executeTakeFirst();
      if (current === undefined) return [];
      const newer = await ofSpace.where('replaces', '=', current.number).execute();
      return [current, ...newer].map(toRecord);
    },

    async count({ spaceId }: SpaceAccess): Promise<number> {
      const rows = db
        .selectFrom('documents')
        .where('space_id', '=', spaceId)
        .select(({ fn }) => fn.countAll<number>().as('count'));
      // Both counts read only an index, not the rows.
      const all = await rows.executeTakeFirstOrThrow();
      const versions = await rows.where('replaces', 'is not', null).executeTakeFirstOrThrow();
      return Number(all.count) - Number(versions.count);
    },

    /** Returns the metadata of at most `count` documents with IDs less than `before`, newest first. */
    newestMetadata(
      { spaceId }: SpaceAccess,
      before: string | null,
      count: number,
    ): Promise<DocumentMetadata[]> {
      return db
        .selectFrom('documents')
        .where('space_id', '=', spaceId)
        .where('replaces', 'is', null)
        .where(isNotRemoved(spaceId))
        .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
        .select(['id', 'metadata'])
        .orderBy('id', 'desc')
        .limit(count)
        .execute();
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
