import type { Database } from '../../storage/ports/index.ts';

/** Retention settings of a space. `null` means that a setting is not set. */
export interface StoredRetention {
  readonly maxAgeDays: number | null;
  readonly maxBytes: number | null;
}

export type RetentionRepository = ReturnType<typeof createRetentionRepository>;

export function createRetentionRepository(db: Database) {
  return {
    async find(spaceId: string): Promise<StoredRetention | undefined> {
      return db
        .selectFrom('spaces')
        .where('id', '=', spaceId)
        .select(['events_max_age_days as maxAgeDays', 'events_max_bytes as maxBytes'])
        .executeTakeFirst();
    },

    /** Returns the position of the slowest durable consumer of a space, or `null` if the space has no consumer. */
    async slowestConsumer(spaceId: string): Promise<number | null> {
      const positions = await db
        .selectFrom('event_cursors')
        .where('space_id', '=', spaceId)
        .select('position')
        .unionAll(
          db
            .selectFrom('subscriptions')
            .where('space_id', '=', spaceId)
            .where('state', '=', 'active')
            .select('position'),
        )
        .execute();
      return positions.length === 0 ? null : Math.min(...positions.map((row) => row.position));
    },
  };
}
