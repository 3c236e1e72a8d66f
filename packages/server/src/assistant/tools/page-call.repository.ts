import type { Database } from '../../storage/ports/index.ts';
import type { Decider } from './consent.repository.ts';

/** Stores the calls of tools of embedding pages, and their sealed results. Times are Unix milliseconds. */
export function createPageCallRepository(db: Database) {
  return {
    async insert({ spaceId, linkId }: Decider, id: string, expiresAt: number): Promise<void> {
      await db
        .insertInto('page_tool_calls')
        .values({ id, space_id: spaceId, link_id: linkId, sealed: null, expires_at: expiresAt })
        .execute();
    },

    find: ({ spaceId }: Decider, id: string) =>
      db
        .selectFrom('page_tool_calls')
        .select(['sealed', 'expires_at'])
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .executeTakeFirst(),

    /** Stores the first result. Returns `false` if no call of the link with this ID waits for it. */
    async answer(
      { spaceId, linkId }: Decider,
      id: string,
      sealed: string,
      now: number,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('page_tool_calls')
        .set({ sealed })
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .where('link_id', '=', linkId)
        .where('expires_at', '>', now)
        .where('sealed', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async remove({ spaceId }: Decider, id: string): Promise<void> {
      await db
        .deleteFrom('page_tool_calls')
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .execute();
    },

    /** Removes the calls of replicas that stopped unexpectedly. */
    async removeExpiredBefore(time: number): Promise<void> {
      await db.deleteFrom('page_tool_calls').where('expires_at', '<', time).execute();
    },
  };
}
