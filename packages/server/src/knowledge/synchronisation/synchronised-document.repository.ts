import { randomUUIDv7 } from 'node:crypto';
import type { JsonObject } from '@gatehouse/filter';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { StorageUnavailable, UniqueViolation } from '../../lib/threads/index.ts';
import type {
  DocumentEventRow,
  DocumentRow,
  KnowledgeEngine,
  Write,
  WriteTogether,
} from '../../storage/ports/index.ts';
import { metadataColumns, toMetadata, valuesOf } from '../documents/document.rules.ts';
import { NOT_INDEXED } from '../documents/document-changes.repository.ts';
import { partWrites } from '../documents/document-parts.repository.ts';
import { valueWrites } from '../documents/document-values.repository.ts';
import { eventRow } from './document-event.repository.ts';
import type { IncomingEvent } from './document-event.rules.ts';

/** State of a subject before an event is applied. */
export interface SubjectSnapshot {
  readonly spaceId: string;
  /** The newest processed event. */
  readonly event: Pick<DocumentEventRow, 'position' | 'state'> | undefined;
  /** The document of the subject, or one that the subject takes over. */
  readonly document: DocumentSnapshot | undefined;
}

export type DocumentSnapshot = Pick<Selectable<DocumentRow>, (typeof KNOWN)[number]>;

/** A new version of a document, which must be indexed. */
export interface DocumentVersion {
  readonly columns: Pick<
    DocumentRow,
    'file_name' | 'file_name_folded' | 'mime_type' | 'language' | 'size' | 'sha256' | 'updated_at'
  >;
  readonly metadata: JsonObject;
  readonly bytes: Uint8Array;
}

/** A change of a document that need not be indexed again. */
export interface DocumentUpdate {
  readonly columns: Partial<Pick<DocumentRow, 'language' | 'updated_at'> & typeof NOT_INDEXED>;
  readonly metadata: JsonObject;
}

/** State of a subject that has a document. */
export type SubjectWithDocument = SubjectSnapshot & { readonly document: DocumentSnapshot };

const KNOWN = [
  'id',
  'number',
  'subject',
  'file_name',
  'mime_type',
  'language',
  'sha256',
  'state',
  'metadata',
] as const;

export interface SynchronisedDocumentsDeps {
  readonly engine: KnowledgeEngine;
  readonly writeTogether: WriteTogether;
}

export type SynchronisedDocuments = ReturnType<typeof createSynchronisedDocuments>;

/** The subject, its document or the space changed after the `SubjectSnapshot` was read. Nothing was written. */
export class ConcurrentChange extends Error {
  override readonly name = 'ConcurrentChange';
}

/**
 * The documents that follow the events of their subjects. A change and the record of its event are written
 * in one transaction. Every method that takes a `SubjectSnapshot` throws `ConcurrentChange` and writes nothing
 * if the space is gone, this event or a newer one of the subject was applied, or the document changed since.
 */
export function createSynchronisedDocuments({ engine, writeTogether }: SynchronisedDocumentsDeps) {
  const { db, index } = engine;

  /**
   * Returns the write that records the applied event. If the subject has changed since the snapshot, `space_id` is null
   * and violates the column's constraint, so the transaction fails.
   */
  function appliedWrite(snapshot: SubjectSnapshot, event: IncomingEvent, time: number): Write {
    const row = eventRow(event, { state: 'applied', failure: null, updated_at: time });
    return db
      .insertInto('document_events')
      .values({ ...row, id: randomUUIDv7(), space_id: spaceIfCurrent(snapshot, event) })
      .onConflict((conflict) => conflict.columns(['space_id', 'subject']).doUpdateSet(row));
  }

  /** Writes `changes` with the record of their event, unless the subject has changed since the snapshot. */
  async function write(
    snapshot: SubjectSnapshot,
    event: IncomingEvent,
    time: number,
    changes: readonly Write[],
  ): Promise<void> {
    try {
      await writeTogether([appliedWrite(snapshot, event, time), ...changes]);
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      if (error instanceof UniqueViolation || !(await isCurrent(snapshot, event)))
        throw new ConcurrentChange(`the subject ${event.subject} changed`, { cause: error });
      throw error;
    }
  }

  async function isCurrent(snapshot: SubjectSnapshot, event: IncomingEvent): Promise<boolean> {
    const space = spaceIfCurrent(snapshot, event).$castTo<string | null>();
    const query = db.selectNoFrom(space.as('space'));
    return (await query.executeTakeFirstOrThrow()).space !== null;
  }

  const inSpace = (spaceId: string) =>
    db.selectFrom('documents').where('space_id', '=', spaceId).select(KNOWN);

  return {
    /** Returns null if the space no longer exists. */
    async snapshot(spaceId: string, subject: string): Promise<SubjectSnapshot | null> {
      const space = sql<number>`(select count(*) from spaces where id = ${spaceId})`;
      const { spaces } = await db.selectNoFrom(space.as('spaces')).executeTakeFirstOrThrow();
      if (Number(spaces) === 0) return null;
      return {
        spaceId,
        event: await db
          .selectFrom('document_events')
          .where('space_id', '=', spaceId)
          .where('subject', '=', subject)
          .select(['position', 'state'])
          .executeTakeFirst(),
        document: await inSpace(spaceId).where('subject', '=', subject).executeTakeFirst(),
      };
    },

    /** Returns a document of the space, whatever its subject. */
    document: (spaceId: string, id: string): Promise<DocumentSnapshot | undefined> =>
      inSpace(spaceId).where('id', '=', id).executeTakeFirst(),

    async create(
      snapshot: SubjectSnapshot,
      event: IncomingEvent,
      id: string,
      { columns, metadata, bytes }: DocumentVersion,
      time: number,
    ): Promise<void> {
      const { spaceId } = snapshot;
      const number = await nextNumber(spaceId);
      await write(snapshot, event, time, [
        db.insertInto('documents').values({
          ...columns,
          ...metadataColumns(metadata),
          ...NOT_INDEXED,
          id,
          number,
          space_id: spaceId,
          subject: event.subject,
          created_at: columns.updated_at,
        }),
        ...partWrites(db, { spaceId, number }, bytes),
        ...valueWrites(db, { spaceId, number }, [], valuesOf(metadata)),
      ]);
    },

    /** Replaces a document by a new version, which the indexer processes. The new metadata applies at once. */
    async replace(
      snapshot: SubjectWithDocument,
      event: IncomingEvent,
      { columns, metadata, bytes }: DocumentVersion,
      time: number,
    ): Promise<void> {
      const { spaceId, document } = snapshot;
      const number = await nextNumber(spaceId);
      await write(snapshot, event, time, [
        ...index.renumberWrites(spaceId, document.number, number),
        db
          .updateTable('documents')
          .set({ ...columns, ...metadataColumns(metadata), ...NOT_INDEXED, subject: event.subject })
          .where('space_id', '=', spaceId)
          .where('number', '=', number),
        ...partWrites(db, { spaceId, number }, bytes),
        ...valueWrites(db, { spaceId, number: document.number }, valuesOfDocument(document), []),
        ...valueWrites(db, { spaceId, number }, [], valuesOf(metadata)),
      ]);
    },

    /** Changes the metadata, the language and the subject of a document, without another indexing. */
    async update(
      snapshot: SubjectWithDocument,
      event: IncomingEvent,
      { columns, metadata }: DocumentUpdate,
      time: number,
    ): Promise<void> {
      const { spaceId, document } = snapshot;
      const { number } = document;
      await write(snapshot, event, time, [
        db
          .updateTable('documents')
          .set({ ...columns, ...metadataColumns(metadata), subject: event.subject })
          .where('space_id', '=', spaceId)
          .where('number', '=', number),
        ...valueWrites(db, { spaceId, number }, valuesOfDocument(document), valuesOf(metadata)),
      ]);
    },

    /** Deletes the document of the subject, if it has one. */
    async remove(snapshot: SubjectSnapshot, event: IncomingEvent, time: number): Promise<void> {
      const { spaceId, document } = snapshot;
      const deletion =
        document === undefined
          ? []
          : [
              db
                .deleteFrom('documents')
                .where('space_id', '=', spaceId)
                .where('number', '=', document.number),
              ...valueWrites(
                db,
                { spaceId, number: document.number },
                valuesOfDocument(document),
                [],
              ),
              index.remainsWrite({ spaceId, number: document.number }),
            ];
      await write(snapshot, event, time, deletion);
    },
  };

  async function nextNumber(spaceId: string): Promise<number> {
    const number = await index.nextNumber(db, spaceId);
    if (number === null) throw new ConcurrentChange('the space is gone');
    return number;
  }
}

/** Returns SQL for the id of the space if nothing has changed since the snapshot, else null. */
function spaceIfCurrent(
  { spaceId, document }: SubjectSnapshot,
  { subject, position }: IncomingEvent,
): RawBuilder<string> {
  const isUnchanged =
    document === undefined
      ? sql`not exists (select 1 from documents where space_id = ${spaceId} and subject = ${subject})`
      : sql`exists (select 1 from documents where space_id = ${spaceId} and number = ${document.number}
          and metadata = ${document.metadata} and subject is not distinct from ${document.subject})`;
  return sql<string>`(select id from spaces where id = ${spaceId} and ${isUnchanged} and not exists (
    select 1 from document_events where space_id = ${spaceId} and subject = ${subject}
    and (position > ${position} or (position = ${position} and state = 'applied'))))`;
}

function valuesOfDocument({ metadata }: DocumentSnapshot) {
  return valuesOf(toMetadata(metadata));
}
