import { type Selectable, sql } from 'kysely';
import { recordAction } from '../../platform/audit/index.ts';
import {
  type ConversationRow,
  type Database,
  inTransaction,
  type JoinedWrites,
  prepare,
  runWrites,
} from '../../storage/ports/index.ts';
import {
  type ConversationKey,
  NO_HANDOFF,
  type StoredMessage,
} from '../conversations/conversation.repository.ts';
import { type Owner, personOf } from '../conversations/owner.rules.ts';

export type StoredHandoff = Pick<
  Selectable<ConversationRow>,
  | 'id'
  | 'handoff_id'
  | 'handoff_state'
  | 'handoff_requested_at'
  | 'handoff_link_id'
  | 'handoff_author'
  | 'handoff_ended_at'
>;

/** A message of the team with the person who is answered. */
export interface StoredTeamMessage {
  readonly id: string;
  readonly text: string;
  readonly author: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly sub: string | null;
}

const COLUMNS = [
  'id',
  'handoff_id',
  'handoff_state',
  'handoff_requested_at',
  'handoff_link_id',
  'handoff_author',
  'handoff_ended_at',
] as const satisfies readonly (keyof StoredHandoff)[];

/** Parameters of prepared statements. */
type Key = { spaceId: string; conversationId: string };
type MessagesAfter = Key & { handoffId: string; after: number };

const OPEN = ['requested', 'active'] as const;

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
  const ofSpace = (trx: Database, { spaceId, conversationId }: ConversationKey) =>
    trx
      .selectFrom('conversations')
      .where('space_id', '=', spaceId)
      .where('id', '=', conversationId)
      .select([...COLUMNS, 'owner'])
      .executeTakeFirst();

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

    /**
     * Stores a message of the team. Returns `absent` if the space has no such conversation, and `closed` if it is not handed over.
     */
    answer: (
      key: ConversationKey,
      message: {
        readonly id: string;
        readonly text: string;
        readonly author: string;
      },
      now: number,
      joined: JoinedWrites<StoredTeamMessage>,
    ): Promise<StoredTeamMessage | 'absent' | 'closed'> =>
      inTransaction(db, async (trx) => {
        const { spaceId, conversationId } = key;
        const { numUpdatedRows } = await trx
          .updateTable('conversations')
          .set({
            handoff_state: 'active',
            handoff_author: sql<string>`coalesce(handoff_author, ${message.author})`,
            updated_at: now,
          })
          .where('space_id', '=', spaceId)
          .where('id', '=', conversationId)
          .where('handoff_state', 'in', OPEN)
          .executeTakeFirst();
        const found = await ofSpace(trx, key);
        if (found === undefined) return 'absent';
        if (numUpdatedRows === 0n) return 'closed';
        const { next } = await trx
          .selectFrom('messages')
          .where('space_id', '=', spaceId)
          .where('conversation_id', '=', conversationId)
          .select(sql<number>`coalesce(max(position), -1) + 1`.as('next'))
          .executeTakeFirstOrThrow();
        await trx
          .insertInto('messages')
          .values({
            ...TEAM_MESSAGE,
            id: message.id,
            space_id: spaceId,
            conversation_id: conversationId,
            position: Number(next),
            text: message.text,
            author: message.author,
            handoff_id: found.handoff_id,
            created_at: now,
          })
          .execute();
        const { sub } = personOf(found.owner);
        await recordAction(trx, {
          action: 'conversation.answered',
          spaceId,
          resourceId: conversationId,
          sub,
        });
        const stored = { id: message.id, text: message.text, author: message.author, sub };
        await runWrites(trx, joined({ ...stored, createdAt: now }));
        return { ...stored, createdAt: now };
      }),

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

    /** Ends the handoff of any conversation of a space. Returns `false` if the space has no such conversation. */
    end: (key: ConversationKey, now: number): Promise<boolean> =>
      inTransaction(db, async (trx) => {
        const { spaceId, conversationId } = key;
        const { numUpdatedRows } = await trx
          .updateTable('conversations')
          .set({ handoff_state: 'ended', handoff_ended_at: now })
          .where('space_id', '=', spaceId)
          .where('id', '=', conversationId)
          .where('handoff_state', 'in', OPEN)
          .executeTakeFirst();
        const found = await ofSpace(trx, key);
        if (found === undefined) return false;
        if (numUpdatedRows > 0n)
          await recordAction(trx, {
            action: 'conversation.handoff-ended',
            spaceId,
            resourceId: conversationId,
            sub: personOf(found.owner).sub,
          });
        return true;
      }),

    /** Returns the name of a user, or `undefined` if the user was deleted. */
    async nameOfUser(userId: string): Promise<string | undefined> {
      const row = await db
        .selectFrom('users')
        .where('id', '=', userId)
        .select('name')
        .executeTakeFirst();
      return row?.name;
    },
  };
}

/** Values of a message of the team in the columns that answers of the assistant use. */
const TEAM_MESSAGE = {
  role: 'assistant',
  sent_id: null,
  state: 'finished',
  failure: null,
  sources: '[]',
  documents: '[]',
  input_tokens: null,
  output_tokens: null,
  model: null,
  cost_millionths: null,
  rating: null,
  comment: null,
  answered: null,
  link_id: null,
} as const;
