import type { Selectable } from 'kysely';
import type { ConversationRow, Database, MessageRow } from '../ports/database.ts';
import { prepare } from '../ports/prepared.ts';
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

export type ConversationRepository = ReturnType<typeof createConversationRepository>;

/** Conversations in the database; every one is asked for with its owner. Times are Unix milliseconds. */
export function createConversationRepository(db: Database) {
  const newest = prepare(db, ({ spaceId, name }: { spaceId: string; name: string }) =>
    db
      .selectFrom('conversations')
      .where('space_id', '=', spaceId)
      .where('owner', '=', name)
      .orderBy('updated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .select('id'),
  );
  const ofOwner = (trx: Database, { spaceId, name }: Owner) =>
    trx
      .selectFrom('conversations')
      .where('conversations.space_id', '=', spaceId)
      .where('conversations.owner', '=', name);

  return {
    /** The id of the conversation in which something was said last, or null. */
    async newest({ spaceId, name }: Owner): Promise<string | null> {
      const [row] = await newest({ spaceId, name });
      return row?.id ?? null;
    },

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
    async messages({ id }: Pick<StoredConversation, 'id'>, count: number) {
      const rows: StoredMessage[] = await db
        .selectFrom('messages')
        .where('conversation_id', '=', id)
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
      return db.transaction().execute(async (trx) => {
        const row = { ...conversation, space_id: spaceId, owner: name, link_id: linkId };
        await trx
          .insertInto('conversations')
          .values({ ...row, created_at: now, updated_at: now })
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet({ title: conversation.title, updated_at: now }),
          )
          .execute();
        const asked = await placeOf(trx, conversationId, question.id);
        if (asked === null) {
          const last = await lastPlace(trx, conversationId);
          const row = { ...question, space_id: spaceId, conversation_id: conversationId };
          const rest = { role: 'user', state: 'finished', ...NO_ANSWER, created_at: now } as const;
          await trx
            .insertInto('messages')
            .values({ ...row, ...rest, position: last + 1 })
            .execute();
          return;
        }
        if (asked.text === question.text) return;
        await dropAfter(trx, conversationId, asked.position);
        await trx
          .updateTable('messages')
          .set({ text: question.text })
          .where('id', '=', question.id)
          .execute();
      });
    },

    /** Keeps the answer to a question in place of all that followed it. Nothing where that is gone. */
    keepAnswer(conversationId: string, questionId: string, answer: AnswerWrite): Promise<void> {
      return db.transaction().execute(async (trx) => {
        const asked = await placeOf(trx, conversationId, questionId);
        if (asked === null) return;
        await dropAfter(trx, conversationId, asked.position);
        const { space_id, position } = asked;
        const row = { ...answer, space_id, conversation_id: conversationId, sent_id: null };
        await trx
          .insertInto('messages')
          .values({
            ...row,
            role: 'assistant',
            position: position + 1,
            rating: null,
            comment: null,
          })
          .execute();
        await touch(trx, conversationId, answer.created_at);
      });
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

async function placeOf(trx: Database, conversationId: string, messageId: string) {
  const row = await trx
    .selectFrom('messages')
    .where('conversation_id', '=', conversationId)
    .where('id', '=', messageId)
    .select(['position', 'text', 'space_id'])
    .executeTakeFirst();
  return row ?? null;
}

async function lastPlace(trx: Database, conversationId: string): Promise<number> {
  const row = await trx
    .selectFrom('messages')
    .where('conversation_id', '=', conversationId)
    .orderBy('position', 'desc')
    .limit(1)
    .select('position')
    .executeTakeFirst();
  return row?.position ?? -1;
}

async function dropAfter(trx: Database, conversationId: string, position: number): Promise<void> {
  await trx
    .deleteFrom('messages')
    .where('conversation_id', '=', conversationId)
    .where('position', '>', position)
    .execute();
}

async function touch(trx: Database, conversationId: string, now: number): Promise<void> {
  await trx
    .updateTable('conversations')
    .set({ updated_at: now })
    .where('id', '=', conversationId)
    .execute();
}
