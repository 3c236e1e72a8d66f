import type { Database } from '../../storage/ports/index.ts';

/** Retention settings of a space. `null` means that a setting is not set. */
export interface StoredRetention {
  readonly maxAgeDays: number | null;
  readonly maxBytes: number | null;
}

export function createRetentionRepository(db: Database) {
  return {
    async find(spaceId: string): Promise<StoredRetention | undefined> {
      return db
        .selectFrom('spaces')
        .where('id', '=', spaceId)
        .select(['events_max_age_days as maxAgeDays', 'events_max_bytes as maxBytes'])
        .executeTakeFirst();
    },

    /**
     * Returns the lowest stored cursor of a space, or `null` if it has none. Includes the cursors of consumers that this process does not
     * run, for example those of a sink that was removed from the settings.
     */
    async lowestCursor(spaceId: string): Promise<number | null> {
      const row = await db
        .selectFrom('event_cursors')
        .where('space_id', '=', spaceId)
        .select(({ fn }) => fn.min('position').as('position'))
        .executeTakeFirst();
      return row?.position === undefined || row.position === null ? null : Number(row.position);
    },
  };
}
