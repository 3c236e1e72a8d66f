import { sql } from 'kysely';
import type { Database, WriteAtomically } from '../../storage/ports/index.ts';
import { prepare } from '../../storage/ports/index.ts';
import { unsentRemoval } from '../attachments/attachment.repository.ts';
import type { Owner } from './owner.rules.ts';
import {
  conversationsOf,
  createTurnWrites,
  type StoredConversation,
  type StoredMessage,
} from './turn-writes.repository.ts';

export type {
  AnswerWrite,
  ConversationKey,
  StoredConversation,
  StoredMessage,
} from './turn-writes.repository.ts';
export { NO_HANDOFF } from './turn-writes.repository.ts';

export type ConversationRepository = ReturnType<typeof createConversationRepository>;

/**
 * Returns a function that finds the ID of an owner's most recently updated conversation, or `null`.
 *
 * SQLite 3.54 compiles an ordered query again for each execution if the query compares a column with a parameter or its limit is a
 * parameter, because the plan may depend on the values. That takes longer than this query. The casts and the constant limit prevent it.
 */
export function createNewestConversation(db: Database) {
  const find = prepare(db, ({ spaceId, name }: { spaceId: string; name: string }) =>
    db
      .selectFrom('conversations')
      .where('space_id', '=', sql<string>`cast(${spaceId} as text)`)
      .where('owner', '=', sql<string>`cast(${name} as text)`)
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(sql.lit(1))
      .select('id'),
  );
  return async ({ spaceId, name }: Owner): Promise<string | null> => {
    const [row] = await find({ spaceId, name });
    return row?.id ?? null;
  };
}

/** Stores conversations. Reads are restricted to the owner. Times are Unix milliseconds. */
export function createConversationRepository(db: Database, writeAtomically: WriteAtomically) {
  return {
    /** Finds a conversation by its ID or by the client's ID of the chat. */
    async find(owner: Owner, id: string): Promise<StoredConversation | null> {
      const rows = await conversationsOf(db, owner)
        .where((where) => where.or([where('id', '=', id.toLowerCase()), where('chat_id', '=', id)]))
        .selectAll()
        .execute();
      return rows.find((row) => row.id === id.toLowerCase()) ?? rows[0] ?? null;
    },

    /** Returns at most `count` conversations before the ID `after`, newest first. */
    list(owner: Owner, after: string | null, count: number): Promise<StoredConversation[]> {
      let query = conversationsOf(db, owner);
      if (after !== null) query = query.where('id', '<', after);
      return query.selectAll().orderBy('id', 'desc').limit(count).execute();
    },

    /**
     * Returns the newest messages, oldest first. The caller must have found the conversation by its owner.
     *
     * @param before position before which all returned messages are. `null`: no limit.
     */
    async messages(
      { space_id: spaceId, id }: Pick<StoredConversation, 'space_id' | 'id'>,
      count: number,
      before: number | null = null,
    ) {
      let query = db
        .selectFrom('messages')
        .where('space_id', '=', spaceId)
        .where('conversation_id', '=', id);
      // The cast permits cursors with a position above the range of the column.
      if (before !== null)
        query = query.where('position', '<', sql<number>`cast(${before} as bigint)`);
      const rows: StoredMessage[] = await query
        .orderBy('position', 'desc')
        .limit(count)
        .selectAll()
        .execute();
      return rows.reverse();
    },

    ...createTurnWrites(db, writeAtomically),

    /** Deletes a conversation with its messages and attachments. */
    remove(owner: Owner, id: string): Promise<void> {
      return writeAtomically([
        unsentRemoval(db, owner, id),
        db
          .deleteFrom('conversations')
          .where('space_id', '=', owner.spaceId)
          .where('owner', '=', owner.name)
          .where('id', '=', id),
      ]);
    },

    /** Stores the rating of an answer. Returns `false` if the owner has no such answer. */
    async rate(
      owner: Owner,
      messageId: string,
      { rating, comment }: Pick<StoredMessage, 'rating' | 'comment'>,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('messages')
        .set({ rating, comment })
        .where('space_id', '=', owner.spaceId)
        .where('id', '=', messageId)
        .where('role', '=', 'assistant')
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('conversations')
              .where('conversations.space_id', '=', owner.spaceId)
              .where('conversations.owner', '=', owner.name)
              .whereRef('conversations.id', '=', 'messages.conversation_id')
              .select('conversations.id'),
          ),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}
