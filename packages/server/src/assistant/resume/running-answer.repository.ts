import type { Selectable } from 'kysely';
import type { Database, RunningAnswerRow } from '../../storage/ports/index.ts';

export type StoredAnswer = Selectable<RunningAnswerRow>;

/** A chat of a link. */
export interface ChatKey {
  readonly spaceId: string;
  readonly linkId: string;
  /** The client's ID of the chat, or the ID of the conversation. */
  readonly chatId: string;
}

export interface AnswerKey {
  readonly spaceId: string;
  readonly id: string;
}

export type RunningAnswerRepository = ReturnType<typeof createRunningAnswerRepository>;

/** Stores the parts of running answers, which any replica may send to a client that returns. Times are Unix milliseconds. */
export function createRunningAnswerRepository(db: Database) {
  const rows = ({ spaceId, id }: AnswerKey) =>
    db.selectFrom('running_answers').where('space_id', '=', spaceId).where('id', '=', id);
  const update = ({ spaceId, id }: AnswerKey) =>
    db.updateTable('running_answers').where('space_id', '=', spaceId).where('id', '=', id);

  return {
    /** Also deletes the answers of replicas that stopped unexpectedly. */
    async insert(row: StoredAnswer, abandonedBefore: number): Promise<void> {
      await db.deleteFrom('running_answers').where('updated_at', '<', abandonedBefore).execute();
      await db.insertInto('running_answers').values(row).execute();
    },

    /** Returns the newest answer of a chat that was updated after `since`. */
    find: ({ spaceId, linkId, chatId }: ChatKey, since: number) =>
      db
        .selectFrom('running_answers')
        .selectAll()
        .where('space_id', '=', spaceId)
        .where('link_id', '=', linkId)
        .where((row) => row.or([row('chat_id', '=', chatId), row('conversation_id', '=', chatId)]))
        .where('updated_at', '>', since)
        .orderBy('id', 'desc')
        .executeTakeFirst(),

    read: (key: AnswerKey) => rows(key).selectAll().executeTakeFirst(),

    async save(
      key: AnswerKey,
      change: Partial<Pick<StoredAnswer, 'sealed' | 'updated_at' | 'ended' | 'detached_at'>>,
    ): Promise<void> {
      await update(key).set(change).execute();
    },

    async follow(key: AnswerKey, now: number): Promise<void> {
      await update(key).set({ followed_at: now }).execute();
    },

    async stop(key: AnswerKey): Promise<void> {
      await update(key).set({ is_stopped: 1 }).execute();
    },

    async remove({ spaceId, id }: AnswerKey): Promise<void> {
      await db
        .deleteFrom('running_answers')
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .execute();
    },
  };
}
