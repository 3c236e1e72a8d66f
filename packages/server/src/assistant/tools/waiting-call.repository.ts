import type { Database } from '../../storage/ports/index.ts';

/** The link whose sessions may decide about a call, or return its result. */
export interface Decider {
  readonly spaceId: string;
  readonly linkId: string;
}

/** Stores calls that wait for a decision or a result. Times are Unix milliseconds. */
export function createWaitingCalls(db: Database, table: 'tool_consents' | 'page_tool_calls') {
  return {
    async insert({ spaceId, linkId }: Decider, id: string, expiresAt: number): Promise<void> {
      await db
        .insertInto(table)
        .values({ id, space_id: spaceId, link_id: linkId, expires_at: expiresAt })
        .execute();
    },

    async remove({ spaceId }: Decider, id: string): Promise<void> {
      await db.deleteFrom(table).where('space_id', '=', spaceId).where('id', '=', id).execute();
    },

    /** Removes the calls of replicas that stopped unexpectedly. */
    async removeExpiredBefore(time: number): Promise<void> {
      await db.deleteFrom(table).where('expires_at', '<', time).execute();
    },
  };
}
