import { type AliasableExpression, type Selectable, type SqlBool, sql } from 'kysely';
import type {
  ConversationRow,
  Database,
  MessageRow,
  WriteAtomically,
} from '../../storage/ports/index.ts';
import { claimWrite, replacedRemoval } from '../attachments/attachment.repository.ts';
import type { Owner } from './owner.rules.ts';

export type StoredConversation = Selectable<ConversationRow>;
export type StoredMessage = Selectable<MessageRow>;

export interface QuestionWrite {
  readonly conversation: Pick<StoredConversation, 'id' | 'chat_id' | 'title'>;
  readonly question: Pick<StoredMessage, 'id' | 'sent_id' | 'text'> & {
    /** The link of the session that asks. */
    readonly link_id: string;
    /** The handoff during which the message is sent. Default: none. */
    readonly handoff_id?: string | null;
    /** JSON array with the parts of the attachments. Default: none. */
    readonly attachments?: string | null;
  };
  /** IDs of attachments of the chat that the question refers to. */
  readonly attachmentIds?: readonly string[];
}

export type AnswerWrite = Omit<
  StoredMessage,
  | 'space_id'
  | 'conversation_id'
  | 'position'
  | 'role'
  | 'sent_id'
  | 'rating'
  | 'comment'
  | 'link_id'
  | 'author'
  | 'handoff_id'
  | 'attachments'
>;

export interface ConversationKey {
  readonly spaceId: string;
  readonly conversationId: string;
}

type Position = Pick<StoredMessage, 'space_id' | 'position'>;

/** Creates the writes of turns: questions with their conversations, and answers. Times are Unix milliseconds. */
export function createTurnWrites(db: Database, writeAtomically: WriteAtomically) {
  const messagesOf = ({ spaceId, conversationId }: ConversationKey) =>
    db
      .selectFrom('messages')
      .where('space_id', '=', spaceId)
      .where('conversation_id', '=', conversationId);
  const message = (key: ConversationKey, id: string) => messagesOf(key).where('id', '=', id);

  const nextPosition = (key: ConversationKey) =>
    messagesOf(key).select((select) => [
      select.val(key.spaceId).as('space_id'),
      sql<number>`coalesce(max(position), -1) + 1`.as('position'),
    ]);

  /** Inserts a conversation unless the link was revoked. */
  function insertConversation(row: StoredConversation, linkId: string) {
    const values = Object.entries(row);
    return db
      .insertInto('conversations')
      .columns(values.map(([column]) => column as keyof StoredConversation))
      .expression(
        db
          .selectFrom('links')
          .where('space_id', '=', row.space_id)
          .where('id', '=', linkId)
          .where('revoked_at', 'is', null)
          .select((select) => values.map(([column, value]) => select.val(value).as(column))),
      );
  }

  /** Inserts a message at the position that a query returns. Inserts nothing if the query returns no row. */
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

  /** Never deletes messages of a handoff or before a handoff, because people answered them. */
  const deleteAfter = (key: ConversationKey, question: ReturnType<typeof message>) =>
    db
      .deleteFrom('messages')
      .where('space_id', '=', key.spaceId)
      .where('conversation_id', '=', key.conversationId)
      .where('position', '>', question.select('position'))
      .where('position', '>', lastOfHandoffs(key));

  /** Returns the position of the last message of a handoff, or −1. Reads no messages of a conversation that was never handed over. */
  const lastOfHandoffs = ({ spaceId, conversationId }: ConversationKey) =>
    db
      .selectFrom('messages')
      .where('space_id', '=', spaceId)
      .where('conversation_id', '=', ({ selectFrom }) =>
        selectFrom('conversations')
          .where('conversations.space_id', '=', spaceId)
          .where('conversations.id', '=', conversationId)
          .where('conversations.handoff_id', 'is not', null)
          .select('conversations.id'),
      )
      .where('handoff_id', 'is not', null)
      .select(sql<number>`coalesce(max(position), -1)`.as('position'));

  return {
    /**
     * Saves a question. Creates the conversation if the owner has deleted it in the meantime. If a question with this ID exists
     * and its text or its attachments differ, replaces them and deletes all later messages. Without attachments, the stored ones are
     * kept. Creates no conversation if the link was revoked, so that no question is stored after the erasure of its person.
     */
    saveQuestion(owner: Owner, write: QuestionWrite, now: number): Promise<void> {
      const { conversation, question, attachmentIds = [] } = write;
      const { id: conversationId } = conversation;
      const { spaceId, name, linkId } = owner;
      const key = { spaceId, conversationId };
      const asked = message(key, question.id);
      const stored = conversationsOf(db, owner).where('id', '=', conversationId);
      const { text, attachments = null } = question;
      const isChanged =
        attachments === null
          ? sql<SqlBool>`text <> ${text}`
          : sql<SqlBool>`(text <> ${text} or attachments is distinct from ${attachments})`;
      return writeAtomically([
        insertConversation(
          {
            ...conversation,
            space_id: spaceId,
            owner: name,
            link_id: linkId,
            created_at: now,
            updated_at: now,
            ...NO_HANDOFF,
          },
          question.link_id,
        ).onConflict((conflict) =>
          conflict
            .columns(['space_id', 'id'])
            .doUpdateSet({ title: conversation.title, updated_at: now }),
        ),
        insertMessage(
          {
            handoff_id: null,
            attachments: null,
            ...question,
            ...NO_ANSWER,
            role: 'user',
            author: null,
            conversation_id: conversationId,
            created_at: now,
          },
          db
            .selectFrom(nextPosition(key).as('next'))
            .where(({ and, not, exists }) =>
              and([not(exists(asked.select('id'))), exists(stored.select('id'))]),
            )
            .selectAll(),
        ),
        deleteAfter(key, asked.where(isChanged)),
        db
          .updateTable('messages')
          .set(attachments === null ? { text } : { text, attachments })
          .where('space_id', '=', spaceId)
          .where('conversation_id', '=', conversationId)
          .where('id', '=', question.id)
          .where(isChanged),
        ...(attachmentIds.length === 0
          ? []
          : [
              claimWrite(db, { owner, chatId: conversation.chat_id }, attachmentIds, question.id),
              replacedRemoval(db, owner, attachmentIds, question.id),
            ]),
      ]);
    },

    /**
     * Saves the answer to a question and deletes all other later messages. Does nothing if the question was deleted, or if messages
     * of a handoff follow it.
     */
    saveAnswer(key: ConversationKey, questionId: string, answer: AnswerWrite): Promise<void> {
      const { spaceId, conversationId } = key;
      const asked = message(key, questionId).where('position', '>=', lastOfHandoffs(key));
      return writeAtomically([
        deleteAfter(key, asked),
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
  };
}

export function conversationsOf(db: Database, { spaceId, name }: Owner) {
  return db
    .selectFrom('conversations')
    .where('conversations.space_id', '=', spaceId)
    .where('conversations.owner', '=', name);
}

/** Values of a message in the columns that only answers of the assistant use. */
export const NO_ANSWER = {
  state: 'finished',
  failure: null,
  sources: '[]',
  documents: '[]',
  filter_digest: null,
  input_tokens: null,
  output_tokens: null,
  model: null,
  cost_millionths: null,
  answered: null,
  rating: null,
  comment: null,
} as const;

/** Values of a conversation that was never handed over. */
export const NO_HANDOFF = {
  handoff_id: null,
  handoff_state: null,
  handoff_requested_at: null,
  handoff_link_id: null,
  handoff_author: null,
  handoff_ended_at: null,
} as const;

/** Values that a new answer has in columns that only questions and ratings use. */
const NO_QUESTION = {
  role: 'assistant',
  sent_id: null,
  rating: null,
  comment: null,
  link_id: null,
  author: null,
  handoff_id: null,
  attachments: null,
} as const;
