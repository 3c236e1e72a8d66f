import { sql } from 'kysely';
import { type Database, retryConflicts } from '../../storage/ports/index.ts';

const MAX_REMOVED_AT_ONCE = 200;

/** Returns a function that removes some conversations without a message since a time. It resolves with `false` if none remain. */
export function createConversationRemoval(db: Database): (before: number) => Promise<boolean> {
  return async (before) => {
    // The outer condition keeps a conversation that continues while the statement runs.
    const { numAffectedRows = 0n } = await retryConflicts(() =>
      sql`delete from conversations
        where (space_id, id) in (
          select space_id, id from conversations where updated_at < cast(${before} as bigint)
          order by updated_at limit ${sql.lit(MAX_REMOVED_AT_ONCE)})
        and updated_at < cast(${before} as bigint)`.execute(db),
    );
    return numAffectedRows === BigInt(MAX_REMOVED_AT_ONCE);
  };
}
