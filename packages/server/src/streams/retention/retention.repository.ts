import type { Database } from '../../storage/ports/index.ts';

/** What a space says of how long its events are kept; null: nothing. */
export interface StoredRetention {
  readonly maxAgeDays: number | null;
  readonly maxBytes: number | null;
}

export type RetentionRepository = ReturnType<typeof createRetentionRepository>;

export function createRetentionRepository(db: Database) {
  return {
    /** Undefined for a space that is gone. */
    async find(spaceId: string): Promise<StoredRetention | undefined> {
      return db
        .selectFrom('spaces')
        .where('id', '=', spaceId)
        .select(['events_max_age_days as maxAgeDays', 'events_max_bytes as maxBytes'])
        .executeTakeFirst();
    },

    /** Up to where every durable consumer of a space has got; null when it has none. */
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
