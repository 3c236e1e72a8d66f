import type { Database } from '../../storage/ports/index.ts';
import { inTransaction, type JoinedWrites, runWrites } from '../../storage/ports/index.ts';
import type { BotAccess, SpaceAccess } from '../access/access.ts';
import type { StoredBot } from '../spaces/space.rules.ts';

const COLUMNS = [
  'bots.id',
  'bots.space_id',
  'bots.name',
  'bots.system_prompt',
  'bots.greeting',
  'bots.suggestions',
  'bots.model',
] as const;

export type BotWrite = Partial<Omit<StoredBot, 'id' | 'space_id'>>;

export interface BotRepository {
  /**
   * Creates a bot with an owner. Returns `undefined` if the space has been deleted.
   *
   * @param now Unix milliseconds.
   */
  insert(
    space: SpaceAccess,
    bot: BotWrite & { name: string; suggestions: string },
    ownerId: string,
    now: number,
    joined: JoinedWrites<StoredBot>,
  ): Promise<StoredBot | undefined>;
  /** Returns bots with ids greater than `after`, ordered by id. `userId` selects bots on which the user has a role. */
  list(
    space: SpaceAccess,
    userId: string | null,
    after: number | null,
    limit: number,
  ): Promise<StoredBot[]>;
  find(bot: BotAccess): Promise<StoredBot | undefined>;
  /** Returns `undefined` if the bot has been deleted. */
  change(bot: BotAccess, write: BotWrite): Promise<StoredBot | undefined>;
  /** Deletes a bot unless it is the last bot of its space. */
  remove(bot: BotAccess): Promise<'removed' | 'last'>;
}

export function createBotRepository(db: Database): BotRepository {
  return {
    insert: ({ spaceId }, bot, ownerId, now, joined) =>
      inTransaction(db, async (trx) => {
        const space = trx.selectFrom('spaces').select('id').where('id', '=', spaceId);
        if ((await space.executeTakeFirst()) === undefined) return undefined;
        const { id } = await trx
          .insertInto('bots')
          .values({ ...bot, space_id: spaceId, created_at: now })
          .returning('id')
          .executeTakeFirstOrThrow();
        await trx
          .insertInto('bot_members')
          .values({
            space_id: spaceId,
            bot_id: id,
            user_id: ownerId,
            role: 'owner',
            created_at: now,
          })
          .execute();
        const stored = await findBot(trx, spaceId, id);
        if (stored !== undefined) await runWrites(trx, joined(stored));
        return stored;
      }),
    list: ({ spaceId }, userId, after, limit) => {
      const all = db
        .selectFrom('bots')
        .select(COLUMNS)
        .where('bots.space_id', '=', spaceId)
        .$if(after !== null, (query) => query.where('bots.id', '>', after))
        .orderBy('bots.id')
        .limit(limit);
      if (userId === null) return all.execute();
      return all
        .innerJoin('bot_members', 'bot_members.bot_id', 'bots.id')
        .where('bot_members.space_id', '=', spaceId)
        .where('bot_members.user_id', '=', userId)
        .execute();
    },
    find: ({ spaceId, botId }) => findBot(db, spaceId, botId),
    change: async ({ spaceId, botId }, write) => {
      if (Object.keys(write).length > 0)
        await db
          .updateTable('bots')
          .set(write)
          .where('space_id', '=', spaceId)
          .where('id', '=', botId)
          .execute();
      return findBot(db, spaceId, botId);
    },
    remove: ({ spaceId, botId }) =>
      inTransaction(db, async (trx) => {
        const other = await trx
          .selectFrom('bots')
          .select('id')
          .where('space_id', '=', spaceId)
          .where('id', '!=', botId)
          .limit(1)
          .executeTakeFirst();
        if (other === undefined) return 'last';
        await trx
          .deleteFrom('bots')
          .where('space_id', '=', spaceId)
          .where('id', '=', botId)
          .execute();
        return 'removed';
      }),
  };
}

function findBot(db: Database, spaceId: string, botId: number): Promise<StoredBot | undefined> {
  return db
    .selectFrom('bots')
    .select(COLUMNS)
    .where('bots.space_id', '=', spaceId)
    .where('bots.id', '=', botId)
    .executeTakeFirst();
}
