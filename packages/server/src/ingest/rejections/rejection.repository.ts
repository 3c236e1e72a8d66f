import type { Database, RejectedEventRow } from '../../storage/ports/index.ts';

export interface RejectionRepository {
  /** Adds rows of spaces that exist. */
  insert(rows: readonly RejectedEventRow[]): Promise<void>;
  /**
   * Returns rows, newest first.
   *
   * @param before ID of the last row of the previous page.
   * @param since earliest time, in Unix milliseconds.
   */
  list(
    spaceId: string,
    before: string | null,
    since: number,
    limit: number,
  ): Promise<RejectedEventRow[]>;
  /** Deletes the oldest rows above `MAX_REJECTED`. */
  trim(spaceId: string): Promise<void>;
  removeBefore(time: number): Promise<void>;
}

/** Maximum number of rows per space. A row has at most about 8 KiB. */
export const MAX_REJECTED = 5000;
const ROWS_PER_STATEMENT = 100;

export function createRejectionRepository(db: Database): RejectionRepository {
  return {
    insert: async (rows) => {
      const ids = [...new Set(rows.map((row) => row.space_id))];
      const spaces = await db.selectFrom('spaces').where('id', 'in', ids).select('id').execute();
      const existing = new Set(spaces.map(({ id }) => id));
      const kept = rows.filter((row) => existing.has(row.space_id));
      for (let at = 0; at < kept.length; at += ROWS_PER_STATEMENT)
        await db
          .insertInto('rejected_events')
          .values(kept.slice(at, at + ROWS_PER_STATEMENT))
          .execute();
    },
    list: (spaceId, before, since, limit) =>
      db
        .selectFrom('rejected_events')
        .where('space_id', '=', spaceId)
        .where('at', '>=', since)
        .$if(before !== null, (query) => query.where('id', '<', before ?? ''))
        .orderBy('id', 'desc')
        .limit(limit)
        .selectAll()
        .execute(),
    trim: async (spaceId) => {
      const newest = await db
        .selectFrom('rejected_events')
        .where('space_id', '=', spaceId)
        .orderBy('id', 'desc')
        .select('id')
        .offset(MAX_REJECTED)
        .limit(1)
        .executeTakeFirst();
      if (newest === undefined) return;
      await db
        .deleteFrom('rejected_events')
        .where('space_id', '=', spaceId)
        .where('id', '<=', newest.id)
        .execute();
    },
    removeBefore: async (time) => {
      await db.deleteFrom('rejected_events').where('at', '<', time).execute();
    },
  };
}
