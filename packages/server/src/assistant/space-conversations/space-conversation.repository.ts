import { type Selectable, sql } from 'kysely';
import { type AuditFact, recordRead } from '../../platform/audit/index.ts';
import {
  type ConversationRow,
  type Database,
  inTransaction,
  type MessageRow,
} from '../../storage/ports/index.ts';

export type StoredConversation = Pick<
  Selectable<ConversationRow>,
  (typeof CONVERSATION_COLUMNS)[number]
>;

/** A conversation with counts of its messages. */
export interface SummarisedConversation extends StoredConversation {
  readonly questions: number;
  readonly unanswered: number;
  readonly up: number;
  readonly down: number;
  /** `true` if a question was asked through the link of the query. */
  readonly isThroughLink: boolean;
}

export type ReadMessage = Pick<
  Selectable<MessageRow>,
  | 'id'
  | 'position'
  | 'role'
  | 'text'
  | 'state'
  | 'failure'
  | 'sources'
  | 'model'
  | 'rating'
  | 'comment'
  | 'created_at'
  | 'answered'
  | 'link_id'
  | 'author'
  | 'attachments'
>;

export interface StoredQuestion {
  readonly conversationId: string;
  readonly questionId: string;
  readonly answerId: string;
  /** At most the first 1,000 characters. */
  readonly text: string;
  /** Time of the answer in Unix milliseconds. */
  readonly answeredAt: number;
}

/** Times are Unix milliseconds. `from` is inclusive, `to` is exclusive. */
export interface Period {
  readonly from: number | null;
  readonly to: number | null;
}

export interface ConversationQuery extends Period {
  readonly spaceId: string;
  /** Owner key of the conversations. `null`: all owners. */
  readonly owner: string | null;
  readonly linkId: string | null;
  /** `open`: requested or active. */
  readonly handoff: 'requested' | 'active' | 'open' | null;
}

/** The last conversation of the previous page. */
export type Before = Pick<StoredConversation, 'id' | 'created_at'>;

export type QuestionState = 'unanswered' | 'disliked';

const CONVERSATION_COLUMNS = [
  'id',
  'owner',
  'title',
  'created_at',
  'updated_at',
  'handoff_id',
  'handoff_state',
  'handoff_requested_at',
  'handoff_author',
  'handoff_ended_at',
] as const satisfies readonly (keyof ConversationRow)[];

const MESSAGE_COLUMNS = [
  'id',
  'position',
  'role',
  'text',
  'state',
  'failure',
  'sources',
  'model',
  'rating',
  'comment',
  'created_at',
  'answered',
  'link_id',
  'author',
  'attachments',
] as const satisfies readonly (keyof ReadMessage)[];

export type SpaceConversationRepository = ReturnType<typeof createSpaceConversationRepository>;

/** Reads the conversations of a space, whoever owns them. Record the read before the first call. */
export function createSpaceConversationRepository(db: Database) {
  const conversations = (spaceId: string, trx = db) =>
    trx.selectFrom('conversations').where('space_id', '=', spaceId).select(CONVERSATION_COLUMNS);

  async function summarise(
    spaceId: string,
    linkId: string | null,
    rows: readonly StoredConversation[],
  ): Promise<SummarisedConversation[]> {
    if (rows.length === 0) return [];
    const count = (condition: ReturnType<typeof sql<boolean>>) =>
      sql<number>`sum(case when ${condition} then 1 else 0 end)`;
    const ids = rows.map(({ id }) => id);
    const counts = await db
      .selectFrom('messages')
      .where('space_id', '=', spaceId)
      .where('conversation_id', 'in', ids)
      .groupBy('conversation_id')
      .select([
        'conversation_id',
        count(sql`role = 'user'`).as('questions'),
        count(sql`answered = 0`).as('unanswered'),
        count(sql`rating = 'up'`).as('up'),
        count(sql`rating = 'down'`).as('down'),
        count(sql`link_id = ${linkId ?? ''}`).as('through_link'),
      ])
      .execute();
    const byId = new Map(counts.map((row) => [row.conversation_id, row]));
    return rows.map((row) => {
      const found = byId.get(row.id);
      return {
        ...row,
        questions: Number(found?.questions ?? 0),
        unanswered: Number(found?.unanswered ?? 0),
        up: Number(found?.up ?? 0),
        down: Number(found?.down ?? 0),
        isThroughLink: Number(found?.through_link ?? 0) > 0,
      };
    });
  }

  return {
    /** Commits an entry of the audit. Throws if the entry cannot be written. */
    record: (fact: AuditFact): Promise<void> => inTransaction(db, (trx) => recordRead(trx, fact)),

    /** Returns the `sub` of a link, or `undefined` if the space has no such link. */
    async subOfLink(spaceId: string, linkId: string): Promise<string | null | undefined> {
      const found = await db
        .selectFrom('links')
        .where('space_id', '=', spaceId)
        .where('id', '=', linkId)
        .select('sub')
        .executeTakeFirst();
      return found?.sub;
    },

    /** Returns at most `count` conversations, newest first. Does not apply `linkId`. */
    async page(
      { spaceId, owner, linkId, from, to, handoff }: ConversationQuery,
      before: Before | null,
      count: number,
    ): Promise<SummarisedConversation[]> {
      let query = conversations(spaceId);
      if (owner !== null) query = query.where('owner', '=', owner);
      if (from !== null) query = query.where('created_at', '>=', from);
      if (to !== null) query = query.where('created_at', '<', to);
      // The partial index contains this condition.
      if (handoff !== null)
        query = query.where(sql<boolean>`handoff_state in ('requested', 'active')`);
      if (handoff === 'requested' || handoff === 'active')
        query = query.where('handoff_state', '=', handoff);
      if (before !== null)
        query = query.where(
          sql<boolean>`(created_at, id) < (cast(${before.created_at} as bigint), ${before.id})`,
        );
      const rows = await query
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(count)
        .execute();
      return summarise(spaceId, linkId, rows);
    },

    /**
     * Commits an entry of the audit about a read of a conversation and returns the conversation. The entry must not name a person
     * who has just been erased, so one transaction finds the conversation and writes the entry.
     */
    async findRecorded(
      spaceId: string,
      id: string,
      factOf: (found: StoredConversation) => AuditFact,
    ): Promise<SummarisedConversation | undefined> {
      const rows = await inTransaction(db, async (trx) => {
        const found = await conversations(spaceId, trx).where('id', '=', id).execute();
        for (const row of found) await recordRead(trx, factOf(row));
        return found;
      });
      return (await summarise(spaceId, null, rows))[0];
    },

    /** Returns at most `count` messages after a position, oldest first. */
    messages(
      spaceId: string,
      conversationId: string,
      after: number,
      count: number,
    ): Promise<ReadMessage[]> {
      return (
        db
          .selectFrom('messages')
          .where('space_id', '=', spaceId)
          .where('conversation_id', '=', conversationId)
          // The cast permits cursors with a position above the range of the column.
          .where('position', '>', sql<number>`cast(${after} as bigint)`)
          .orderBy('position')
          .limit(count)
          .select(MESSAGE_COLUMNS)
          .execute()
      );
    },

    /** Returns at most `count` questions whose answers have a state, newest answer first. */
    async questions(
      { spaceId, state, from, to }: Period & { spaceId: string; state: QuestionState },
      before: { readonly answeredAt: number; readonly answerId: string } | null,
      count: number,
    ): Promise<StoredQuestion[]> {
      // Literals, because the partial indexes contain these conditions.
      const hasState =
        state === 'unanswered' ? sql<boolean>`a.answered = 0` : sql<boolean>`a.rating = 'down'`;
      let query = db
        .selectFrom('messages as a')
        .innerJoin('messages as q', (join) =>
          join
            .onRef('q.space_id', '=', 'a.space_id')
            .onRef('q.conversation_id', '=', 'a.conversation_id')
            .on(sql<boolean>`q.position = a.position - 1`),
        )
        .where('a.space_id', '=', spaceId)
        .where(hasState);
      if (from !== null) query = query.where('a.created_at', '>=', from);
      if (to !== null) query = query.where('a.created_at', '<', to);
      if (before !== null)
        query = query.where(
          sql<boolean>`(a.created_at, a.id) < (cast(${before.answeredAt} as bigint), ${before.answerId})`,
        );
      return query
        .orderBy('a.created_at', 'desc')
        .orderBy('a.id', 'desc')
        .limit(count)
        .select([
          'a.conversation_id as conversationId',
          'q.id as questionId',
          'a.id as answerId',
          'a.created_at as answeredAt',
          sql<string>`substr(q.text, 1, 1000)`.as('text'),
        ])
        .execute();
    },
  };
}
