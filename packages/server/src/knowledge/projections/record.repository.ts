import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { parse } from '../../lib/json/index.ts';
import type {
  KnowledgeEngine,
  ProjectionRow,
  RecordRow,
  Write,
} from '../../storage/ports/index.ts';
import { hasNumberIn } from '../documents/lock-documents.repository.ts';
import {
  createRecordDocuments,
  type Projection,
  type StoredDocument,
} from './record-document.repository.ts';
import type { RecordState } from './record-state.rules.ts';
import type { RenderedRecord } from './record-text.rules.ts';

export type RecordRepository = ReturnType<typeof createRecordRepository>;

export type { Projection } from './record-document.repository.ts';

/** Creates the repository of records. It returns writes, because one transaction stores all records of a page and the position. */
export function createRecordRepository(engine: KnowledgeEngine) {
  const { db, index } = engine;
  const { insertDocument, updateDocument, removeDocument } = createRecordDocuments(engine);
  const ofProjection = ({ space_id, id }: Projection) =>
    db.selectFrom('records').where('space_id', '=', space_id).where('projection_id', '=', id);

  return {
    async find(projection: Projection, keys: readonly string[]): Promise<Map<string, RecordRow>> {
      if (keys.length === 0) return new Map();
      const rows = await ofProjection(projection).where('key', 'in', keys).selectAll().execute();
      return new Map(rows.map((row) => [row.key, row]));
    },

    /** Returns the number of stored records, including deleted ones. */
    async count(projection: Projection): Promise<number> {
      const row = await ofProjection(projection)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },

    /** Returns records in the order of their keys. */
    after: (projection: Projection, key: string, limit: number): Promise<RecordRow[]> =>
      ofProjection(projection)
        .where('key', '>', key)
        .orderBy('key')
        .limit(limit)
        .selectAll()
        .execute(),

    /** Returns shown records in the order of their keys. */
    published(
      projection: Projection,
      { after, count, key }: { after: string; count: number; key?: string | undefined },
    ): Promise<RecordRow[]> {
      const shown = ofProjection(projection).where('document', 'is not', null);
      return (key === undefined ? shown : shown.where('key', '=', key))
        .where('key', '>', after)
        .orderBy('key')
        .limit(count)
        .selectAll()
        .execute();
    },

    /** Returns some records of earlier generations. */
    outdated: (projection: Projection, limit: number): Promise<RecordRow[]> =>
      ofProjection(projection)
        .where('generation', '<', projection.generation)
        .limit(limit)
        .selectAll()
        .execute(),

    /** Returns some records whose newest event precedes a position. */
    expired: (projection: Projection, position: number, limit: number): Promise<RecordRow[]> =>
      ofProjection(projection)
        .where('newest_position', '<', position)
        .orderBy('newest_position')
        .limit(limit)
        .selectAll()
        .execute(),

    /** Returns the records that depend on events with a subject. */
    ofSubject: (spaceId: string, subject: string) =>
      db
        .selectFrom('record_subjects')
        .where('space_id', '=', spaceId)
        .where('subject', 'in', [subject, indexedSubject(subject)])
        .select(['projection_id', 'key'])
        .execute(),

    subjectRemoval: (
      [spaceId, projectionId]: readonly [string, string],
      subject: string,
      keys: readonly string[],
    ): Write =>
      db
        .deleteFrom('record_subjects')
        .where('space_id', '=', spaceId)
        .where('subject', 'in', [subject, indexedSubject(subject)])
        .where('projection_id', '=', projectionId)
        .where('key', 'in', keys),

    async documents(
      spaceId: string,
      rows: readonly RecordRow[],
    ): Promise<Map<number, StoredDocument>> {
      const numbers = rows.flatMap(({ document }) => document ?? []);
      if (numbers.length === 0) return new Map();
      const documents = await db
        .selectFrom('documents')
        .where(hasNumberIn(spaceId, numbers))
        .select(['id', 'number', 'metadata'])
        .execute();
      return new Map(documents.map((document) => [document.number, document]));
    },

    /** Returns a number for the document of a new record, or `null` if the space was deleted. */
    nextNumber: (spaceId: string): Promise<number | null> => index.nextNumber(db, spaceId),

    /**
     * Returns the writes that store a state. They fail if the projection no longer exists.
     *
     * @param subjects subjects of the merged events.
     */
    stateWrites(
      { space_id, id, generation }: Projection,
      key: string,
      state: RecordState,
      columns: Pick<RecordRow, 'document' | 'newest_position'>,
      subjects: Iterable<string>,
    ): Write[] {
      const changed = { ...columns, generation, state: JSON.stringify(state) };
      return [
        db
          .insertInto('records')
          .values({
            space_id: sql<string>`(select space_id from projections
              where space_id = ${space_id} and id = ${id})`,
            projection_id: id,
            key,
            ...changed,
          })
          .onConflict((conflict) =>
            conflict.columns(['space_id', 'projection_id', 'key']).doUpdateSet(changed),
          ),
        ...[...subjects].map((subject) =>
          db
            .insertInto('record_subjects')
            .values({ space_id, subject: indexedSubject(subject), projection_id: id, key })
            .onConflict((conflict) => conflict.doNothing()),
        ),
      ];
    },

    /** Returns the writes that show a record, or hide it if `rendered` is `null`. */
    documentWrites(
      projection: Projection,
      key: string,
      number: number | null,
      current: StoredDocument | undefined,
      rendered: RenderedRecord | null,
      now: number,
    ): Write[] {
      const time = new Date(now).toISOString();
      if (rendered === null || number === null)
        return current === undefined ? [] : removeDocument(projection.space_id, current);
      if (current !== undefined) return updateDocument(projection, current, rendered, time);
      return insertDocument(projection, key, number, rendered, time);
    },

    /** Returns the writes that remove a record with its document. */
    removalWrites(
      { space_id, id }: Projection,
      { key }: RecordRow,
      current: StoredDocument | undefined,
    ): Write[] {
      const removal = (table: 'records' | 'record_subjects') =>
        db
          .deleteFrom(table)
          .where('space_id', '=', space_id)
          .where('projection_id', '=', id)
          .where('key', '=', key);
      return [
        ...(current === undefined ? [] : removeDocument(space_id, current)),
        removal('records'),
        removal('record_subjects'),
      ];
    },

    /**
     * Returns the write that advances a projection. It violates a constraint, and so aborts the transaction, if the projection has
     * changed since `row` was read.
     *
     * @param revisions 1 makes the worker discard the pages that it has read. Default 0.
     */
    progressWrite(
      { space_id, id, revision, position, state }: ProjectionRow,
      next: Pick<ProjectionRow, 'position' | 'state' | 'published_key'>,
      revisions = 0,
    ): Write {
      const query = sql`update projections set
          position = case
            when revision = ${revision} and position = ${position} and state = ${state}
            then cast(${next.position} as bigint) end,
          revision = revision + ${sql.lit(revisions)}, state = ${next.state}, published_key = ${next.published_key}
        where space_id = ${space_id} and id = ${id}`;
      return { compile: () => query.compile(db) };
    },

    /** Returns the write that removes a projection after its records were removed. */
    endWrite: ({ space_id, id }: Projection): Write =>
      db
        .deleteFrom('projections')
        .where('space_id', '=', space_id)
        .where('id', '=', id)
        .where('state', '=', 'deleting'),
  };
}

/** Maximum length of a subject that is stored unhashed. An index of PostgreSQL has no room for more than about 2,600 bytes. */
const MAX_INDEXED_SUBJECT_LENGTH = 300;

/** Returns a subject as stored in `record_subjects`. Rows of earlier releases contain long subjects unhashed. */
function indexedSubject(subject: string): string {
  if (subject.length <= MAX_INDEXED_SUBJECT_LENGTH) return subject;
  return `#${hash('sha256', subject)}`;
}

export function toState({ state }: Pick<RecordRow, 'state'>): RecordState {
  return parse(state) as RecordState;
}
