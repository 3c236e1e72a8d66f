import type { Database } from '../../storage/ports/index.ts';
import { createWaitingCalls, type Decider } from './waiting-call.repository.ts';

/** Stores the calls of tools of embedding pages, and their sealed results. Times are Unix milliseconds. */
export function createPageCallRepository(db: Database) {
  return {
    ...createWaitingCalls(db, 'page_tool_calls'),

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
  };
}
