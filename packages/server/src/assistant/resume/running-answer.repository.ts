import type { Selectable } from 'kysely';
import type { Database, RunningAnswerRow } from '../../storage/ports/index.ts';

export type StoredResponse = Selectable<RunningAnswerRow>;

/** The columns of an answer that other requests write. */
export type AnswerState = Pick<StoredResponse, 'id' | 'is_stopped' | 'followed_at'>;

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

const STATES_PER_QUERY = 128;

/** Repeats the last ID until the number of IDs is a power of two, so that few different statements are prepared. */
function padded(ids: readonly string[]): readonly string[] {
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  return Array.from({ length }, (_, at) => ids[Math.min(at, ids.length - 1)] ?? '');
}

/** Stores the parts of running answers, which any replica may send to a client that returns. Times are Unix milliseconds. */
export function createRunningAnswerRepository(db: Database) {
  const rows = ({ spaceId, id }: AnswerKey) =>
    db.selectFrom('running_answers').where('space_id', '=', spaceId).where('id', '=', id);
  const update = ({ spaceId, id }: AnswerKey) =>
    db.updateTable('running_answers').where('space_id', '=', spaceId).where('id', '=', id);

  return {
    async insert(row: StoredResponse): Promise<void> {
      await db.insertInto('running_answers').values(row).execute();
    },

    /** Deletes the answers of all spaces that were last updated before a time, because their replicas stopped unexpectedly. */
    async removeAbandoned(before: number): Promise<void> {
      await db.deleteFrom('running_answers').where('updated_at', '<', before).execute();
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

    read: (key: AnswerKey) =>
      rows(key).select(['sealed', 'ended', 'updated_at']).executeTakeFirst(),

    /** Returns the states of the answers among `ids` that exist. */
    async readStates(spaceId: string, ids: readonly string[]): Promise<AnswerState[]> {
      const states: AnswerState[] = [];
      for (let at = 0; at < ids.length; at += STATES_PER_QUERY)
        states.push(
          ...(await db
            .selectFrom('running_answers')
            .select(['id', 'is_stopped', 'followed_at'])
            .where('space_id', '=', spaceId)
            .where('id', 'in', padded(ids.slice(at, at + STATES_PER_QUERY)))
            .execute()),
        );
      return states;
    },

    async save(
      key: AnswerKey,
      change: Partial<Pick<StoredResponse, 'sealed' | 'updated_at' | 'ended' | 'detached_at'>>,
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
