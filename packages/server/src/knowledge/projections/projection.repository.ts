import { MAX_PROJECTIONS } from '@gatehouse/contract';
import { type RawBuilder, sql, type UpdateObject } from 'kysely';
import { recordAction } from '../../platform/audit/index.ts';
import {
  inTransaction,
  type KnowledgeDatabase,
  type KnowledgeTables,
  type ProjectionRow,
  runWrites,
  type Write,
} from '../../storage/ports/index.ts';
import { creationRefusal } from '../limited-creation.repository.ts';

export type ProjectionRepository = ReturnType<typeof createProjectionRepository>;

/** A row with numbers for its progress. */
export interface ShownProjection extends ProjectionRow {
  readonly records: number;
  /** Number of stored records, including those that are deleted or not published yet. */
  readonly stored: number;
}

type RowUpdate = UpdateObject<KnowledgeTables, 'projections', 'projections'>;

const PROGRESS = ['space_id', 'id', 'state', 'revision', 'position'] as const;

export function createProjectionRepository(db: KnowledgeDatabase) {
  const shown = (spaceId: string) =>
    db
      .selectFrom('projections')
      .selectAll()
      .select([recordsOf().as('records'), storedOf().as('stored')])
      .where('space_id', '=', spaceId)
      .where('state', '<>', 'deleting');

  /**
   * Changes a projection, which makes the worker discard its page. Returns `false` if the projection does not exist.
   *
   * @param columnsFor returns `null` to change nothing.
   */
  function update(
    spaceId: string,
    id: string,
    fact: 'changed' | 'rebuilt' | 'deleted',
    columnsFor: (row: ProjectionRow) => RowUpdate | null,
  ): Promise<boolean> {
    return inTransaction(db, async (trx) => {
      const row = await trx
        .selectFrom('projections')
        .selectAll()
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .where('state', '<>', 'deleting')
        .executeTakeFirst();
      if (row === undefined) return false;
      const columns = columnsFor(row);
      if (columns === null) return true;
      await trx
        .updateTable('projections')
        .set({ ...columns, revision: row.revision + 1 })
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .execute();
      await recordAction(trx, { action: `projection.${fact}`, spaceId, resourceId: id });
      return true;
    });
  }

  return {
    /** Returns `no-space` if the space was deleted, and `too-many` if the space has `MAX_PROJECTIONS` projections. */
    insert: (
      row: ProjectionRow,
      joined: readonly Write[],
    ): Promise<'inserted' | 'no-space' | 'too-many'> =>
      inTransaction(db, async (trx) => {
        const limit = { spaceId: row.space_id, maximum: MAX_PROJECTIONS };
        const refusal = await creationRefusal(trx, 'projections', limit);
        if (refusal !== null) return refusal;
        await trx.insertInto('projections').values(row).execute();
        await recordAction(trx, {
          action: 'projection.created',
          spaceId: row.space_id,
          resourceId: row.id,
        });
        await runWrites(trx, joined);
        return 'inserted';
      }),

    list: (spaceId: string, after: string | null, limit: number): Promise<ShownProjection[]> =>
      shown(spaceId)
        .where('id', '>', after ?? '')
        .orderBy('id')
        .limit(limit)
        .execute(),

    find: (spaceId: string, id: string): Promise<ShownProjection | undefined> =>
      shown(spaceId).where('id', '=', id).executeTakeFirst(),

    /**
     * Replaces the definition. The worker removes the records and derives them again.
     *
     * @param definitionFor returns the definition for the stored one, or `null` to change nothing.
     */
    change: (
      spaceId: string,
      id: string,
      definitionFor: (stored: string) => string | null,
      time: number,
    ): Promise<boolean> =>
      update(spaceId, id, 'changed', (row) => {
        const definition = definitionFor(row.definition);
        if (definition === null) return null;
        return { ...restarted(row, 'clearing'), definition, updated_at: time };
      }),

    /** Derives the records again. The records stay visible until they are replaced. */
    rebuild: (spaceId: string, id: string): Promise<boolean> =>
      // The records of the previous definition must be removed first.
      update(spaceId, id, 'rebuilt', (row) =>
        restarted(row, row.state === 'clearing' ? 'clearing' : 'building'),
      ),

    remove: (spaceId: string, id: string): Promise<boolean> =>
      update(spaceId, id, 'deleted', () => ({ state: 'deleting' })),

    /** Makes the worker discard the pages that it has read. */
    interrupt: async (spaceId: string): Promise<void> => {
      await sql`update projections set revision = revision + 1
        where space_id = ${spaceId}`.execute(db);
    },

    /** Returns the projections that the worker must process. */
    all: (): Promise<Pick<ProjectionRow, (typeof PROGRESS)[number]>[]> =>
      db.selectFrom('projections').select(PROGRESS).execute(),

    row: (spaceId: string, id: string): Promise<ProjectionRow | undefined> =>
      db
        .selectFrom('projections')
        .selectAll()
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .executeTakeFirst(),

    /** Returns the lowest position of the projections of a space, or `null` if there are none. */
    async position(spaceId: string): Promise<number | null> {
      const row = await db
        .selectFrom('projections')
        .where('space_id', '=', spaceId)
        .where('state', '<>', 'deleting')
        .select(({ fn }) => fn.min('position').as('position'))
        .executeTakeFirst();
      return row?.position === undefined || row.position === null ? null : Number(row.position);
    },
  };
}

function restarted({ generation }: ProjectionRow, state: ProjectionRow['state']) {
  return { state, generation: generation + 1, position: 0, published_key: null };
}

function recordsOf(): RawBuilder<number> {
  return sql<number>`(select count(*) from documents
    where documents.space_id = projections.space_id and documents.projection_id = projections.id)`;
}

function storedOf(): RawBuilder<number> {
  return sql<number>`(select count(*) from records
    where records.space_id = projections.space_id and records.projection_id = projections.id)`;
}
