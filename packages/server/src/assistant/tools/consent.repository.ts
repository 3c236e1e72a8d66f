import type { Database } from '../../storage/ports/index.ts';
import { createWaitingCalls, type Decider } from './waiting-call.repository.ts';

export type Decision = 'allow' | 'deny';

/** Stores the tool calls that wait for a decision. Times are Unix milliseconds. */
export function createConsentRepository(db: Database) {
  return {
    ...createWaitingCalls(db, 'tool_consents'),

    find: ({ spaceId }: Decider, id: string) =>
      db
        .selectFrom('tool_consents')
        .select(['decision', 'expires_at'])
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .executeTakeFirst(),

    /** Stores a decision. Returns `false` if no call of the link with this ID waits for this decision. */
    async decide(
      { spaceId, linkId }: Decider,
      id: string,
      decision: Decision,
      now: number,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('tool_consents')
        .set({ decision })
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .where('link_id', '=', linkId)
        .where('expires_at', '>', now)
        .where((row) => row.or([row('decision', 'is', null), row('decision', '=', decision)]))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
