import { type Selectable, sql } from 'kysely';
import { recordAction } from '../../platform/audit/index.ts';
import {
  type ConversationRow,
  type Database,
  inTransaction,
  type JoinedWrites,
  runWrites,
} from '../../storage/ports/index.ts';
import type { ConversationKey } from '../conversations/conversation.repository.ts';
import { personOf } from '../conversations/owner.rules.ts';
import { NO_ANSWER } from '../conversations/turn-writes.repository.ts';

/** The handoff of a conversation. */
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

export const COLUMNS = [
  'id',
  'handoff_id',
  'handoff_state',
  'handoff_requested_at',
  'handoff_link_id',
  'handoff_author',
  'handoff_ended_at',
] as const satisfies readonly (keyof StoredHandoff)[];

export const OPEN = ['requested', 'active'] as const;

/** Creates the part of the repository that the team uses. Its operations are recorded in the audit. */
export function createTeamHandoffs(db: Database) {
  const ofSpace = (trx: Database, { spaceId, conversationId }: ConversationKey) =>
    trx
      .selectFrom('conversations')
      .where('space_id', '=', spaceId)
      .where('id', '=', conversationId)
      .select([...COLUMNS, 'owner'])
      .executeTakeFirst();

  return {
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
            ...NO_ANSWER,
            role: 'assistant',
            sent_id: null,
            link_id: null,
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
