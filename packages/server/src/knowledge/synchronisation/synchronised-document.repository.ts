import { randomUUIDv7 } from 'node:crypto';
import type { JsonObject } from '@gatehouse/filter';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { StorageUnavailable, UniqueViolation } from '../../lib/threads/index.ts';
import type {
  DocumentEventRow,
  DocumentRow,
  KnowledgeEngine,
  Write,
  WriteAtomically,
} from '../../storage/ports/index.ts';
import { metadataColumns, storedValues, valuesOf } from '../documents/document.rules.ts';
import type { NOT_INDEXED } from '../documents/document-changes.repository.ts';
import { valueWrites } from '../documents/document-values.repository.ts';
import type { DocumentVersion } from '../versions/version.rules.ts';
import { createVersionHistory } from '../versions/version-history.repository.ts';
import { createVersionWrites } from '../versions/version-writes.repository.ts';
import { eventRow } from './document-event.repository.ts';
import type { IncomingEvent } from './document-event.rules.ts';

/** State of a subject before an event is applied. */
export interface SubjectSnapshot {
  readonly spaceId: string;
  /** The newest processed event. */
  readonly event: Pick<DocumentEventRow, 'position' | 'state'> | undefined;
  /** The document of the subject, or an uploaded document that will belong to the subject. */
  readonly document: DocumentSnapshot | undefined;
}

export type DocumentSnapshot = Pick<Selectable<DocumentRow>, (typeof KNOWN)[number]>;

/** A change of a document without a new file. */
export interface DocumentUpdate {
  readonly columns: Partial<
    Pick<DocumentRow, 'language' | 'given_title' | 'url' | 'updated_at'> & typeof NOT_INDEXED
  >;
  readonly metadata: JsonObject;
  /** `false` if the properties are the same, so there is no new version. */
  readonly isChange: boolean;
}

export type SubjectWithDocument = SubjectSnapshot & { readonly document: DocumentSnapshot };

const KNOWN = [
  'id',
  'number',
  'subject',
  'external_key',
  'projection_id',
  'file_name',
  'mime_type',
  'language',
  'given_title',
  'url',
  'sha256',
  'state',
  'metadata',
] as const;

export interface SynchronisedDocumentsDeps {
  readonly engine: KnowledgeEngine;
  readonly writeAtomically: WriteAtomically;
}

export type SynchronisedDocuments = ReturnType<typeof createSynchronisedDocuments>;

/** The subject, its document or the space has changed since the `SubjectSnapshot`. Nothing was written. */
export class ConcurrentChange extends Error {
  override readonly name = 'ConcurrentChange';
}

/**
 * Creates the repository of documents that are synchronised by events. A change and the record of its event are written in
 * one transaction. Every method with a `SubjectSnapshot` throws `ConcurrentChange` and writes nothing if the space was
 * deleted, this event or a newer one of the subject was applied, or the document has changed since the snapshot.
 */
export function createSynchronisedDocuments({
  engine,
  writeAtomically,
}: SynchronisedDocumentsDeps) {
  const { db, index } = engine;
  const versions = createVersionWrites(engine);
  const history = createVersionHistory(db);

  /**
   * Returns the write that records the applied event. If the subject has changed since the snapshot, `space_id` is null,
   * which violates the column's constraint and aborts the transaction.
   */
  function appliedWrite(snapshot: SubjectSnapshot, event: IncomingEvent, time: number): Write {
    const row = eventRow(event, { state: 'applied', failure: null, updated_at: time });
    return db
      .insertInto('document_events')
      .values({ ...row, id: randomUUIDv7(), space_id: spaceIfCurrent(snapshot, event) })
      .onConflict((conflict) => conflict.columns(['space_id', 'subject']).doUpdateSet(row));
  }

  /** Returns the write that locks the document of the snapshot, because the lock order starts with documents. */
  function lockWrites({ spaceId, document }: SubjectSnapshot): Write[] {
    if (document === undefined) return [];
    const locked = db
      .selectFrom('documents')
      .where('space_id', '=', spaceId)
      .where('number', '=', document.number)
      .select('number');
    return [engine.forUpdate(locked)];
  }

  async function write(
    snapshot: SubjectSnapshot,
    event: IncomingEvent,
    time: number,
    changes: readonly Write[],
  ): Promise<void> {
    try {
      await writeAtomically([
        ...lockWrites(snapshot),
        appliedWrite(snapshot, event, time),
        ...changes,
      ]);
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      if (error instanceof UniqueViolation || !(await isCurrent(snapshot, event)))
        throw new ConcurrentChange(`The subject ${event.subject} has changed.`, { cause: error });
      throw error;
    }
  }

  async function isCurrent(snapshot: SubjectSnapshot, event: IncomingEvent): Promise<boolean> {
    const space = spaceIfCurrent(snapshot, event).$castTo<string | null>();
    const query = db.selectNoFrom(space.as('space'));
    return (await query.executeTakeFirstOrThrow()).space !== null;
  }

  const inSpace = (spaceId: string) =>
    db
      .selectFrom('documents')
      .where('space_id', '=', spaceId)
      .where('replaces', 'is', null)
      .select(KNOWN);

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

    /** Returns a document of the space, whether or not it has a subject. */
    document: (spaceId: string, id: string): Promise<DocumentSnapshot | undefined> =>
      inSpace(spaceId).where('id', '=', id).executeTakeFirst(),

    async create(
      snapshot: SubjectSnapshot,
      event: IncomingEvent,
      id: string,
      version: DocumentVersion,
      time: number,
    ): Promise<void> {
      const { spaceId } = snapshot;
      const identity = {
        id,
        space_id: spaceId,
        created_at: version.columns.updated_at,
        subject: event.subject,
      };
      const number = await nextNumber(spaceId);
      await write(snapshot, event, time, versions.insert(identity, number, version));
    },

    /** Replaces a document by a new version and queues it for the indexer. The new metadata takes effect immediately. */
    async replace(
      snapshot: SubjectWithDocument,
      event: IncomingEvent,
      version: DocumentVersion,
      time: number,
    ): Promise<void> {
      const { spaceId, document } = snapshot;
      const number = await nextNumber(spaceId);
      const identity = { subject: event.subject };
      await write(snapshot, event, time, [
        ...history.keepWrites(spaceId, document.id, document.number),
        ...versions.replace(spaceId, document, number, version, identity),
      ]);
    },

    async update(
      snapshot: SubjectWithDocument,
      event: IncomingEvent,
      { columns, metadata, isChange }: DocumentUpdate,
      time: number,
    ): Promise<void> {
      const { spaceId, document } = snapshot;
      const { number } = document;
      await write(snapshot, event, time, [
        ...(isChange ? history.keepWrites(spaceId, document.id, number) : []),
        db
          .updateTable('documents')
          .set({ ...columns, ...metadataColumns(metadata), subject: event.subject })
          .where('space_id', '=', spaceId)
          .where('number', '=', number),
        ...valueWrites(db, { spaceId, number }, storedValues(document), valuesOf(metadata)),
      ]);
    },

    async remove(snapshot: SubjectSnapshot, event: IncomingEvent, time: number): Promise<void> {
      const { spaceId, document } = snapshot;
      const deletion =
        document === undefined
          ? []
          : [...versions.remove(spaceId, document), ...history.removeWrites(spaceId, document.id)];
      await write(snapshot, event, time, deletion);
    },
  };

  async function nextNumber(spaceId: string): Promise<number> {
    const number = await index.nextNumber(db, spaceId);
    if (number === null) throw new ConcurrentChange('The space has been deleted.');
    return number;
  }
}

/** Returns SQL for the ID of the space if nothing has changed since the snapshot, else null. */
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
