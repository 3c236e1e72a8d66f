import { type Database, inTransaction, prepare } from '../../storage/ports/index.ts';
import {
  type ConversationKey,
  NO_HANDOFF,
  type StoredMessage,
} from '../conversations/conversation.repository.ts';
import type { Owner } from '../conversations/owner.rules.ts';
import {
  COLUMNS,
  createTeamHandoffs,
  OPEN,
  type StoredHandoff,
} from './team-handoff.repository.ts';

export type { StoredHandoff, StoredTeamMessage } from './team-handoff.repository.ts';

/** Parameters of prepared statements. */
type Key = { spaceId: string; conversationId: string };
type MessagesAfter = Key & { handoffId: string; after: number };

export type HandoffRepository = ReturnType<typeof createHandoffRepository>;

/**
 * Stores handoffs. Triggers queue the events about them in the same transaction. Times are Unix milliseconds. A statement that
 * changes the conversation precedes the insertion of a message, so that messages of concurrent writers have different positions.
 */
export function createHandoffRepository(db: Database) {
  const find = prepare(db, ({ spaceId, conversationId }: Key) =>
    db
      .selectFrom('conversations')
      .where('space_id', '=', spaceId)
      .where('id', '=', conversationId)
      .select(COLUMNS),
  );
  const findOfOwner = prepare(db, ({ spaceId, conversationId, name }: Key & { name: string }) =>
    db
      .selectFrom('conversations')
      .where('space_id', '=', spaceId)
      .where('owner', '=', name)
      .where('id', '=', conversationId)
      .select(COLUMNS),
  );
  const findMessages = prepare(db, (of: MessagesAfter) =>
    db
      .selectFrom('messages')
      .where('space_id', '=', of.spaceId)
      .where('conversation_id', '=', of.conversationId)
      .where('position', '>', of.after)
      .where('handoff_id', '=', of.handoffId)
      .orderBy('position')
      .selectAll(),
  );
  return {
    async find({ spaceId, conversationId }: ConversationKey): Promise<StoredHandoff | null> {
      const [row] = await find({ spaceId, conversationId });
      return row ?? null;
    },

    async findOfOwner({ name }: Owner, key: ConversationKey): Promise<StoredHandoff | null> {
      const [row] = await findOfOwner({ ...key, name });
      return row ?? null;
    },

    /** Returns the messages of a handoff after a position, oldest first. */
    messages: (of: MessagesAfter): Promise<readonly StoredMessage[]> => findMessages(of),

    /**
     * Begins a handoff of a conversation, which is created if it does not exist. Returns the handoff that is open already, if there
     * is one, and `null` if the link was revoked.
     */
    request: (
      owner: Owner,
      asked: {
        readonly conversationId: string;
        readonly chatId: string;
        readonly handoffId: string;
        readonly linkId: string;
      },
      now: number,
    ): Promise<StoredHandoff | null> =>
      inTransaction(db, async (trx) => {
        const { spaceId, name } = owner;
        const link = await trx
          .selectFrom('links')
          .where('space_id', '=', spaceId)
          .where('id', '=', asked.linkId)
          .where('revoked_at', 'is', null)
          .select('id')
          .executeTakeFirst();
        if (link === undefined) return null;
        await trx
          .insertInto('conversations')
          .values({
            id: asked.conversationId,
            space_id: spaceId,
            owner: name,
            link_id: owner.linkId,
            chat_id: asked.chatId,
            title: '',
            created_at: now,
            updated_at: now,
            ...NO_HANDOFF,
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        const ofOwner = trx
          .updateTable('conversations')
          .where('space_id', '=', spaceId)
          .where('owner', '=', name)
          .where('chat_id', '=', asked.chatId);
        await ofOwner
          .set({
            handoff_id: asked.handoffId,
            handoff_state: 'requested',
            handoff_requested_at: now,
            handoff_link_id: asked.linkId,
            handoff_author: null,
            handoff_ended_at: null,
            updated_at: now,
          })
          .where((where) =>
            where.or([where('handoff_state', 'is', null), where('handoff_state', '=', 'ended')]),
          )
          .execute();
        const stored = await trx
          .selectFrom('conversations')
          .where('space_id', '=', spaceId)
          .where('owner', '=', name)
          .where('chat_id', '=', asked.chatId)
          .select(COLUMNS)
          .executeTakeFirst();
        return stored ?? null;
      }),

    ...createTeamHandoffs(db),

    /** Ends the handoff of an owner's conversation, if one is open. */
    async leave({ spaceId, name }: Owner, conversationId: string, now: number): Promise<void> {
      await inTransaction(db, (trx) =>
        trx
          .updateTable('conversations')
          .set({ handoff_state: 'ended', handoff_ended_at: now })
          .where('space_id', '=', spaceId)
          .where('owner', '=', name)
          .where('id', '=', conversationId)
          .where('handoff_state', 'in', OPEN)
          .execute(),
      );
    },
  };
}
