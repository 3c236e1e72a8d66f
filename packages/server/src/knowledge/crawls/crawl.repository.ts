import { MAX_CRAWLS } from '@gatehouse/contract';
import type { Selectable, UpdateObject } from 'kysely';
import { recordAction } from '../../platform/audit/index.ts';
import {
  type CrawlRow,
  inTransaction,
  type KnowledgeDatabase,
  type KnowledgeTables,
  runWrites,
  type Write,
} from '../../storage/ports/index.ts';
import { creationRefusal } from '../limited-creation.repository.ts';
import { firstProgress, type Progress } from './progress.rules.ts';

export type StoredCrawl = Selectable<CrawlRow>;
type RowUpdate = UpdateObject<KnowledgeTables, 'crawls', 'crawls'>;

/** A person changed the crawl since the crawler read it. Nothing was written. */
export class CrawlChanged extends Error {
  override readonly name = 'CrawlChanged';
}

export type CrawlRepository = ReturnType<typeof createCrawlRepository>;

export function createCrawlRepository(db: KnowledgeDatabase) {
  /** The crawls of a space that are not being deleted. */
  const existing = (from: KnowledgeDatabase, spaceId: string) =>
    from
      .selectFrom('crawls')
      .selectAll()
      .where('space_id', '=', spaceId)
      .where('state', '<>', 'deleting');

  /** Changes a crawl, which makes the crawler discard the page that it is fetching. Returns `false` if there is no such crawl. */
  function update(
    { spaceId, id }: { readonly spaceId: string; readonly id: string },
    fact: 'changed' | 'started' | 'stopped' | 'deleted',
    columnsFor: (row: StoredCrawl) => RowUpdate | null,
  ): Promise<boolean> {
    return inTransaction(db, async (trx) => {
      const row = await existing(trx, spaceId).where('id', '=', id).executeTakeFirst();
      if (row === undefined) return false;
      const columns = columnsFor(row);
      if (columns === null) return true;
      await trx
        .updateTable('crawls')
        .set({ ...columns, revision: row.revision + 1 })
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .execute();
      await recordAction(trx, { action: `crawl.${fact}`, spaceId, resourceId: id });
      return true;
    });
  }

  return {
    /** Returns `no-space` if the space was deleted, and `too-many` if the space has `MAX_CRAWLS` crawls. */
    insert: (
      row: StoredCrawl,
      joined: readonly Write[],
    ): Promise<'inserted' | 'no-space' | 'too-many'> =>
      inTransaction(db, async (trx) => {
        const limit = { spaceId: row.space_id, maximum: MAX_CRAWLS };
        const refusal = await creationRefusal(trx, 'crawls', limit);
        if (refusal !== null) return refusal;
        await trx.insertInto('crawls').values(row).execute();
        const { space_id: spaceId, id: resourceId } = row;
        await recordAction(trx, { action: 'crawl.created', spaceId, resourceId });
        await runWrites(trx, joined);
        return 'inserted';
      }),

    list: (spaceId: string, after: string | null, limit: number): Promise<StoredCrawl[]> =>
      existing(db, spaceId)
        .where('id', '>', after ?? '')
        .orderBy('id')
        .limit(limit)
        .execute(),

    /** Returns a crawl that is not being deleted. */
    find: (spaceId: string, id: string): Promise<StoredCrawl | undefined> =>
      existing(db, spaceId).where('id', '=', id).executeTakeFirst(),

    update,

    /** Returns the crawls with work for the crawler: those in progress, those being deleted, and those that are due. */
    active: (now: number): Promise<Pick<CrawlRow, 'space_id' | 'id'>[]> =>
      db
        .selectFrom('crawls')
        .select(['space_id', 'id'])
        .where((where) => where.or([where('state', '<>', 'idle'), where('next_run_at', '<=', now)]))
        .execute(),

    row: (spaceId: string, id: string): Promise<StoredCrawl | undefined> =>
      db
        .selectFrom('crawls')
        .selectAll()
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .executeTakeFirst(),

    /**
     * Runs writes of the crawler in one transaction.
     *
     * @throws CrawlChanged if a person changed the crawl since `row` was read.
     */
    commit: (
      row: StoredCrawl,
      fence: readonly Write[],
      columns: RowUpdate | null,
      work: (trx: KnowledgeDatabase) => Promise<void> = async () => {},
    ): Promise<void> =>
      inTransaction(db, async (trx) => {
        await runWrites(trx, fence);
        // Locks the row.
        const { numUpdatedRows } = await trx
          .updateTable('crawls')
          .set({ revision: row.revision, ...columns })
          .where('space_id', '=', row.space_id)
          .where('id', '=', row.id)
          .where('revision', '=', row.revision)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new CrawlChanged();
        await work(trx);
      }),

    /** Deletes a crawl and its pages. */
    async remove({ space_id, id }: StoredCrawl, fence: readonly Write[]): Promise<void> {
      await inTransaction(db, async (trx) => {
        await runWrites(trx, fence);
        await trx
          .deleteFrom('crawls')
          .where('space_id', '=', space_id)
          .where('id', '=', id)
          .execute();
      });
    },
  };
}

/** Returns the columns of a crawl whose next run begins. */
export function startedColumns(row: Pick<CrawlRow, 'run'>, everyHours: number | null, now: number) {
  return {
    state: 'running',
    run: row.run + 1,
    paused_until: 0,
    next_run_at: everyHours === null ? null : now + everyHours * 3_600_000,
    progress: JSON.stringify(firstProgress(now) satisfies Progress),
  } as const;
}
