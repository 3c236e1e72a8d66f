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
import { UNREAD } from '../documents/document-changes.repository.ts';
import { partWrites } from '../documents/document-parts.repository.ts';
import { valueWrites } from '../documents/document-values.repository.ts';
import { eventRow } from './document-event.repository.ts';
import type { DocumentNews } from './document-event.rules.ts';

/** What is known of a subject before an event of it takes effect. */
export interface SubjectNow {
  readonly spaceId: string;
  /** The newest event that was looked at. */
  readonly event: Pick<DocumentEventRow, 'position' | 'state'> | undefined;
  /** The subject's document, or one that it is about to take over. */
  readonly document: KnownDocument | undefined;
}

export type KnownDocument = Pick<Selectable<DocumentRow>, (typeof KNOWN)[number]>;

/** What a document is to be. */
export interface Version {
  readonly columns: Pick<
    DocumentRow,
    'file_name' | 'file_name_folded' | 'mime_type' | 'language' | 'size' | 'sha256' | 'updated_at'
  >;
  readonly metadata: JsonObject;
  readonly bytes: Uint8Array;
}

/** The same where its text stays. */
export interface Retouch {
  readonly columns: Partial<Pick<DocumentRow, 'language' | 'updated_at'> & typeof UNREAD>;
  readonly metadata: JsonObject;
}

/** A subject that has a document. */
export type SubjectWithDocument = SubjectNow & { readonly document: KnownDocument };

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

export interface FollowedDocumentsDeps {
  readonly engine: KnowledgeEngine;
  readonly writeTogether: WriteTogether;
}

export type FollowedDocuments = ReturnType<typeof createFollowedDocuments>;

/** The subject, its document or the space changed after the `SubjectNow` was read. Nothing was written. */
export class ConcurrentChange extends Error {
  override readonly name = 'ConcurrentChange';
}

/**
 * The documents that follow the events of their subjects. A change and the record of its event are written
 * in one transaction. Every method that takes a `SubjectNow` throws `ConcurrentChange` and writes nothing
 * if the space is gone, this event or a newer one of the subject was applied, or the document changed since.
 */
export function createFollowedDocuments({ engine, writeTogether }: FollowedDocumentsDeps) {
  const { db, index } = engine;

  /** The row that says which event took effect. Its `space_id` is null, which no row may have, when it must not. */
  function noted(now: SubjectNow, news: DocumentNews, time: number): Write {
    const row = eventRow(news, { state: 'applied', failure: null, updated_at: time });
    return db
      .insertInto('document_events')
      .values({ ...row, id: randomUUIDv7(), space_id: spaceWhere(now, news) })
      .onConflict((conflict) => conflict.columns(['space_id', 'subject']).doUpdateSet(row));
  }

  /** Writes `changes` with the record of their event, unless the subject has changed since `now` was read. */
  async function write(
    now: SubjectNow,
    news: DocumentNews,
    time: number,
    changes: readonly Write[],
  ): Promise<void> {
    try {
      await writeTogether([noted(now, news, time), ...changes]);
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      if (error instanceof UniqueViolation || !(await isCurrent(now, news)))
        throw new ConcurrentChange(`the subject ${news.subject} changed`, { cause: error });
      throw error;
    }
  }

  async function isCurrent(now: SubjectNow, news: DocumentNews): Promise<boolean> {
    const space = spaceWhere(now, news).$castTo<string | null>();
    const query = db.selectNoFrom(space.as('space'));
    return (await query.executeTakeFirstOrThrow()).space !== null;
  }

  const inSpace = (spaceId: string) =>
    db.selectFrom('documents').where('space_id', '=', spaceId).select(KNOWN);

  return {
    /** Null when the space is gone. */
    async now(spaceId: string, subject: string): Promise<SubjectNow | null> {
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

    /** A document of the space, whoever's it is. */
    document: (spaceId: string, id: string): Promise<KnownDocument | undefined> =>
      inSpace(spaceId).where('id', '=', id).executeTakeFirst(),

    async create(
      now: SubjectNow,
      news: DocumentNews,
      id: string,
      { columns, metadata, bytes }: Version,
      time: number,
    ): Promise<void> {
      const { spaceId } = now;
      const number = await nextNumber(spaceId);
      await write(now, news, time, [
        db.insertInto('documents').values({
          ...columns,
          ...metadataColumns(metadata),
          ...UNREAD,
          id,
          number,
          space_id: spaceId,
          subject: news.subject,
          created_at: columns.updated_at,
        }),
        ...partWrites(db, { spaceId, number }, bytes),
        ...valueWrites(db, { spaceId, number }, [], valuesOf(metadata)),
      ]);
    },

    /** Makes a document another version of itself, under its new metadata from now on; its text is read anew. */
    async replace(
      now: SubjectWithDocument,
      news: DocumentNews,
      { columns, metadata, bytes }: Version,
      time: number,
    ): Promise<void> {
      const { spaceId, document } = now;
      const number = await nextNumber(spaceId);
      await write(now, news, time, [
        ...index.renumberWrites(spaceId, document.number, number),
        db
          .updateTable('documents')
          .set({ ...columns, ...metadataColumns(metadata), ...UNREAD, subject: news.subject })
          .where('space_id', '=', spaceId)
          .where('number', '=', number),
        ...partWrites(db, { spaceId, number }, bytes),
        ...valueWrites(db, { spaceId, number: document.number }, valuesNow(document), []),
        ...valueWrites(db, { spaceId, number }, [], valuesOf(metadata)),
      ]);
    },

    /** Changes what does not need another reading: metadata, the language, whose the document is. */
    async change(
      now: SubjectWithDocument,
      news: DocumentNews,
      { columns, metadata }: Retouch,
      time: number,
    ): Promise<void> {
      const { spaceId, document } = now;
      const { number } = document;
      await write(now, news, time, [
        db
          .updateTable('documents')
          .set({ ...columns, ...metadataColumns(metadata), subject: news.subject })
          .where('space_id', '=', spaceId)
          .where('number', '=', number),
        ...valueWrites(db, { spaceId, number }, valuesNow(document), valuesOf(metadata)),
      ]);
    },

    /** Deletes the subject's document, when it has one. */
    async remove(now: SubjectNow, news: DocumentNews, time: number): Promise<void> {
      const { spaceId, document } = now;
      const gone =
        document === undefined
          ? []
          : [
              db
                .deleteFrom('documents')
                .where('space_id', '=', spaceId)
                .where('number', '=', document.number),
              ...valueWrites(db, { spaceId, number: document.number }, valuesNow(document), []),
              index.remainsWrite({ spaceId, number: document.number }),
            ];
      await write(now, news, time, gone);
    },
  };

  async function nextNumber(spaceId: string): Promise<number> {
    const number = await index.nextNumber(db, spaceId);
    if (number === null) throw new ConcurrentChange('the space is gone');
    return number;
  }
}

/** The id of the space while everything is as it was seen; else null. */
function spaceWhere(
  { spaceId, document }: SubjectNow,
  { subject, position }: DocumentNews,
): RawBuilder<string> {
  const asSeen =
    document === undefined
      ? sql`not exists (select 1 from documents where space_id = ${spaceId} and subject = ${subject})`
      : sql`exists (select 1 from documents where space_id = ${spaceId} and number = ${document.number}
          and metadata = ${document.metadata} and subject is not distinct from ${document.subject})`;
  return sql<string>`(select id from spaces where id = ${spaceId} and ${asSeen} and not exists (
    select 1 from document_events where space_id = ${spaceId} and subject = ${subject}
    and (position > ${position} or (position = ${position} and state = 'applied'))))`;
}

function valuesNow({ metadata }: KnownDocument) {
  return valuesOf(toMetadata(metadata));
}
