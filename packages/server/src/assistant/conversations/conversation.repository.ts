import { type AliasableExpression, type Selectable, sql } from 'kysely';
import type {
  ConversationRow,
  Database,
  MessageRow,
  WriteTogether,
} from '../../storage/ports/index.ts';
import { prepare } from '../../storage/ports/index.ts';
import type { Owner } from './owner.rules.ts';

export type StoredConversation = Selectable<ConversationRow>;
export type StoredMessage = Selectable<MessageRow>;

/** A question to be kept, with the conversation it is of. */
export interface QuestionWrite {
  readonly conversation: Pick<StoredConversation, 'id' | 'chat_id' | 'title'>;
  readonly question: Pick<StoredMessage, 'id' | 'sent_id' | 'text'>;
}

/** An answer to be kept; there is none yet to a question that was just asked. */
export type AnswerWrite = Omit<
  StoredMessage,
  'space_id' | 'conversation_id' | 'position' | 'role' | 'sent_id' | 'rating' | 'comment'
>;

/** Names one conversation of one space. */
export interface ConversationKey {
  readonly spaceId: string;
  readonly conversationId: string;
}

type Position = Pick<StoredMessage, 'space_id' | 'position'>;

export type ConversationRepository = ReturnType<typeof createConversationRepository>;

/** Finds the id of an owner's conversation in which something was said last; null: there is none. */
export function createNewestConversation(db: Database) {
  const find = prepare(db, ({ spaceId, name }: { spaceId: string; name: string }) =>
    db
      .selectFrom('conversations')
      .where('space_id', '=', spaceId)
      .where('owner', '=', name)
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .select('id'),
  );
  return async ({ spaceId, name }: Owner): Promise<string | null> => {
    const [row] = await find({ spaceId, name });
    return row?.id ?? null;
  };
}

/** Conversations in the database; every one is asked for with its owner. Times are Unix milliseconds. */
export function createConversationRepository(db: Database, writeTogether: WriteTogether) {
  const ofOwner = (trx: Database, { spaceId, name }: Owner) =>
    trx
      .selectFrom('conversations')
      .where('conversations.space_id', '=', spaceId)
      .where('conversations.owner', '=', name);

  const messagesOf = ({ spaceId, conversationId }: ConversationKey) =>
    db
      .selectFrom('messages')
      .where('space_id', '=', spaceId)
      .where('conversation_id', '=', conversationId);
  const message = (key: ConversationKey, id: string) => messagesOf(key).where('id', '=', id);

  /** Selects the position of the next message. */
  const nextPosition = (key: ConversationKey) =>
    messagesOf(key).select((select) => [
      select.val(key.spaceId).as('space_id'),
      sql<number>`coalesce(max(position), -1) + 1`.as('position'),
    ]);

  /** Inserts a message at a position, if the query of the position has a row. */
  function insertMessage(
    row: Omit<StoredMessage, keyof Position>,
    position: AliasableExpression<Position>,
  ) {
    const values = Object.entries(row);
    const columns = values.map(([column]) => column as keyof StoredMessage);
    return db
      .insertInto('messages')
      .columns([...columns, 'space_id', 'position'])
      .expression(
        db
          .selectFrom(position.as('next'))
          .select((select) => values.map(([column, value]) => select.val(value).as(column)))
          .select(['next.space_id', 'next.position']),
      );
  }

  const dropAfter = (
    { spaceId, conversationId }: ConversationKey,
    question: ReturnType<typeof message>,
  ) =>
    db
      .deleteFrom('messages')
      .where('space_id', '=', spaceId)
      .where('conversation_id', '=', conversationId)
      .where('position', '>', question.select('position'));

  return {
    /** The conversation with this id or, by the client's words, this chat. */
    async find(owner: Owner, id: string): Promise<StoredConversation | null> {
      const rows = await ofOwner(db, owner)
        .where((where) => where.or([where('id', '=', id.toLowerCase()), where('chat_id', '=', id)]))
        .selectAll()
        .execute();
      return rows.find((row) => row.id === id.toLowerCase()) ?? rows[0] ?? null;
    },

    /** The newest first, from behind the id `after`; `count` at most. */
    list(owner: Owner, after: string | null, count: number): Promise<StoredConversation[]> {
      let query = ofOwner(db, owner);
      if (after !== null) query = query.where('id', '<', after);
      return query.selectAll().orderBy('id', 'desc').limit(count).execute();
    },

    /** The newest messages of a conversation that was found for its owner, oldest first. */
    async messages(
      { space_id: spaceId, id }: Pick<StoredConversation, 'space_id' | 'id'>,
      count: number,
    ) {
      const rows: StoredMessage[] = await messagesOf({ spaceId, conversationId: id })
        .orderBy('position', 'desc')
        .limit(count)
        .selectAll()
        .execute();
      return rows.reverse();
    },

    /**
     * Keeps a question, and its conversation if that is not there, or not any more: its owner may have deleted
     * it since it was found. A question that is there already, by its id, gets the new text, and what followed
     * it goes if that is another one.
     */
    keepQuestion(owner: Owner, write: QuestionWrite, now: number): Promise<void> {
      const { conversation, question } = write;
      const { id: conversationId } = conversation;
      const { spaceId, name, linkId } = owner;
      const key = { spaceId, conversationId };
      const asked = message(key, question.id);
      const changed = asked.where('text', '!=', question.text);
      return writeTogether([
        db
          .insertInto('conversations')
          .values({
            ...conversation,
            space_id: spaceId,
            owner: name,
            link_id: linkId,
            created_at: now,
            updated_at: now,
          })
          .onConflict((conflict) =>
            conflict
              .columns(['space_id', 'id'])
              .doUpdateSet({ title: conversation.title, updated_at: now }),
          ),
        insertMessage(
          { ...question, ...NO_ANSWER, conversation_id: conversationId, created_at: now },
          db
            .selectFrom(nextPosition(key).as('next'))
            .where(({ not, exists }) => not(exists(asked.select('id'))))
            .selectAll(),
        ),
        dropAfter(key, changed),
        db
          .updateTable('messages')
          .set({ text: question.text })
          .where('space_id', '=', spaceId)
          .where('id', 'in', changed.select('id')),
      ]);
    },

    /** Keeps the answer to a question in place of all that followed it. Nothing where that is gone. */
    keepAnswer(key: ConversationKey, questionId: string, answer: AnswerWrite): Promise<void> {
      const { spaceId, conversationId } = key;
      const asked = message(key, questionId);
      return writeTogether([
        dropAfter(key, asked),
        insertMessage(
          { ...answer, ...NO_QUESTION, conversation_id: conversationId },
          asked.select(['space_id', sql<number>`position + 1`.as('position')]),
        ),
        db
          .updateTable('conversations')
          .set({ updated_at: answer.created_at })
          .where('space_id', '=', spaceId)
          .where('id', '=', conversationId)
          .where(({ exists }) => exists(asked.select('id'))),
      ]);
    },

    async remove({ spaceId, name }: Owner, id: string): Promise<void> {
      await db
        .deleteFrom('conversations')
        .where('space_id', '=', spaceId)
        .where('owner', '=', name)
        .where('id', '=', id)
        .execute();
    },

    /** Notes what a person thinks of an answer. False when the owner has no such answer. */
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
        .where('conversation_id', 'in', ofOwner(db, owner).select('id'))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
  };
}

/** What a question has of an answer's members. */
const NO_ANSWER = {
  role: 'user',
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
} as const;

/** What an answer has of a question's members, and what nobody thought of it yet. */
const NO_QUESTION = { role: 'assistant', sent_id: null, rating: null, comment: null } as const;
