import type { Database } from '../../storage/ports/index.ts';

export type Decision = 'allow' | 'deny';

/** The link whose sessions may decide about a call. */
export interface Decider {
  readonly spaceId: string;
  readonly linkId: string;
}

/** Stores the tool calls that wait for a decision. Times are Unix milliseconds. */
export function createConsentRepository(db: Database) {
  return {
    async insert({ spaceId, linkId }: Decider, id: string, expiresAt: number): Promise<void> {
      await db
        .insertInto('tool_consents')
        .values({ id, space_id: spaceId, link_id: linkId, decision: null, expires_at: expiresAt })
        .execute();
    },

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

    async remove({ spaceId }: Decider, id: string): Promise<void> {
      await db
        .deleteFrom('tool_consents')
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .execute();
    },

    /** Removes the calls of replicas that stopped unexpectedly. */
    async removeExpiredBefore(time: number): Promise<void> {
      await db.deleteFrom('tool_consents').where('expires_at', '<', time).execute();
    },
  };
}
