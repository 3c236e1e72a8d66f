import type { DocumentRow, KnowledgeEngine, Write } from '../../storage/ports/index.ts';
import { metadataColumns, storedValues, valuesOf } from '../documents/document.rules.ts';
import { NOT_INDEXED } from '../documents/document-changes.repository.ts';
import { partWrites } from '../documents/document-parts.repository.ts';
import { valueWrites } from '../documents/document-values.repository.ts';
import type { DocumentVersion } from './version.rules.ts';

export type NewIdentity = Pick<DocumentRow, 'id' | 'space_id' | 'created_at'> &
  Partial<Pick<DocumentRow, 'subject' | 'external_key' | 'replaces'>>;

/** A stored row. `metadata` must be the stored value, because it determines the indexed values to remove. */
export interface StoredVersion {
  readonly number: number;
  readonly metadata: string;
}

/** Creates the writes that store, replace and remove a row of `documents` together with its original and indexed values. */
export function createVersionWrites({ db, index }: KnowledgeEngine) {
  return {
    /** @param number a number from `PassageIndex.nextNumber` or, if the content may be staged, from `numberFor`. */
    insert(
      identity: NewIdentity,
      number: number,
      { columns, metadata, content }: DocumentVersion,
    ): Write[] {
      const document = { spaceId: identity.space_id, number };
      return [
        db.insertInto('documents').values({
          ...columns,
          ...metadataColumns(metadata),
          ...NOT_INDEXED,
          ...identity,
          number,
        }),
        ...partWrites(db, document, content),
        ...valueWrites(db, document, [], valuesOf(metadata)),
      ];
    },

    /** Replaces a row. Searches do not find the document until the new version is indexed. */
    replace(
      spaceId: string,
      old: StoredVersion,
      number: number,
      { columns, metadata, content }: DocumentVersion,
      identity: Partial<Pick<DocumentRow, 'subject'>> = {},
    ): Write[] {
      return [
        ...index.renumberWrites(spaceId, old.number, number),
        db
          .updateTable('documents')
          .set({ ...columns, ...metadataColumns(metadata), ...NOT_INDEXED, ...identity })
          .where('space_id', '=', spaceId)
          .where('number', '=', number),
        ...partWrites(db, { spaceId, number }, content),
        ...valueWrites(db, { spaceId, number: old.number }, storedValues(old), []),
        ...valueWrites(db, { spaceId, number }, [], valuesOf(metadata)),
      ];
    },

    /** Deletes a row. The indexer deletes its passages and its original later. */
    remove(spaceId: string, old: StoredVersion): Write[] {
      const document = { spaceId, number: old.number };
      return [
        db.deleteFrom('documents').where('space_id', '=', spaceId).where('number', '=', old.number),
        ...valueWrites(db, document, storedValues(old), []),
        index.queueCleanup(document),
      ];
    },
  };
}
