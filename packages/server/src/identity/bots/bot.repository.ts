import type { Role } from '@gatehouse/contract';
import { sql } from 'kysely';
import { keepCreations, recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { inTransaction, type JoinedWrites, runWrites } from '../../storage/ports/index.ts';
import type { BotAccess, SpaceAccess, UserCaller } from '../access/access.ts';
import { confirmOwnerOfBot } from '../access/confirmed-rights.repository.ts';
import { ownersOfSpace } from '../access/rights.repository.ts';
import { highestRole } from '../access/role.rules.ts';
import { removeLinksAndConversations } from '../spaces/links-removal.repository.ts';
import type { StoredBot } from '../spaces/space.rules.ts';

const COLUMNS = [
  'bots.id',
  'bots.space_id',
  'bots.name',
  'bots.system_prompt',
  'bots.greeting',
  'bots.suggestions',
  'bots.model',
  'bots.handoff',
  'bots.contact',
] as const;

export type BotWrite = Partial<Omit<StoredBot, 'id' | 'space_id'>>;

export interface BotRepository {
  /**
   * Creates a bot. Its members are the owners of the space, and the creator with the highest role that the creator has on the
   * other bots of the space. Returns `undefined` if the space has been deleted.
   *
   * @param now Unix milliseconds.
   */
  insert(
    space: SpaceAccess,
    bot: BotWrite & { name: string; suggestions: string },
    creatorId: string,
    now: number,
    joined: JoinedWrites<StoredBot>,
  ): Promise<StoredBot | undefined>;
  /** Returns bots with IDs greater than `after`, ordered by ID. */
  list(space: SpaceAccess, after: number | null, limit: number): Promise<StoredBot[]>;
  /** Like `list`, but returns only the bots on which a user has a role, with this role. */
  listOfUser(
    space: SpaceAccess,
    userId: string,
    after: number | null,
    limit: number,
  ): Promise<(StoredBot & { readonly role: Role })[]>;
  find(bot: BotAccess): Promise<StoredBot | undefined>;
  /** Returns `undefined` if the bot has been deleted. */
  change(bot: BotAccess, write: BotWrite): Promise<StoredBot | undefined>;
  /**
   * Deletes a bot unless it is the last bot of its space. Stops and throws 401 or 403 if the caller loses the right meanwhile; the links that
   * were deleted before are lost.
   */
  remove(bot: BotAccess, caller: UserCaller): Promise<'removed' | 'last'>;
}

export function createBotRepository(db: Database): BotRepository {
  return {
    insert: ({ spaceId }, bot, creatorId, now, joined) =>
      inTransaction(db, async (trx) => {
        const space = trx.selectFrom('spaces').select('id').where('id', '=', spaceId);
        if ((await space.executeTakeFirst()) === undefined) return undefined;
        const members = await membersOfNewBot(trx, spaceId, creatorId);
        const { id } = await trx
          .insertInto('bots')
          .values({ ...bot, space_id: spaceId, created_at: now })
          .returning('id')
          .executeTakeFirstOrThrow();
        await trx
          .insertInto('bot_members')
          .values(
            [...members].map(([user_id, role]) => ({
              space_id: spaceId,
              bot_id: id,
              user_id,
              role,
              created_at: now,
            })),
          )
          .execute();
        await recordAction(trx, { action: 'bot.created', spaceId, resourceId: id });
        const stored = await findBot(trx, spaceId, id);
        if (stored !== undefined) await runWrites(trx, joined(stored));
        return stored;
      }),
    list: (space, after, limit) => botsAfter(db, space, after, limit).execute(),
    listOfUser: (space, userId, after, limit) =>
      botsAfter(db, space, after, limit)
        .innerJoin('bot_members', 'bot_members.bot_id', 'bots.id')
        .where('bot_members.space_id', '=', space.spaceId)
        .where('bot_members.user_id', '=', userId)
        .select('bot_members.role')
        .execute(),
    find: ({ spaceId, botId }) => findBot(db, spaceId, botId),
    change: ({ spaceId, botId }, write) =>
      inTransaction(db, async (trx) => {
        const changed = Object.keys(write);
        if (changed.length === 0) return findBot(trx, spaceId, botId);
        await trx
          .updateTable('bots')
          .set(write)
          .where('space_id', '=', spaceId)
          .where('id', '=', botId)
          .execute();
        const bot = await findBot(trx, spaceId, botId);
        if (bot !== undefined)
          await recordAction(trx, {
            action: 'bot.changed',
            spaceId,
            resourceId: botId,
            details: { changed },
          });
        return bot;
      }),
    remove: async ({ spaceId, botId }, caller) => {
      const confirm = (trx: Database) => confirmOwnerOfBot(trx, { spaceId, botId }, caller);
      const isLast = async (using: Database) =>
        (await using
          .selectFrom('bots')
          .select('id')
          .where('space_id', '=', spaceId)
          .where('id', '!=', botId)
          .limit(1)
          .executeTakeFirst()) === undefined;
      if (await isLast(db)) return 'last';
      await removeLinksAndConversations(db, { spaceId, botId, confirm });
      return inTransaction(db, async (trx) => {
        await confirm(trx);
        if (await isLast(trx)) return 'last';
        await keepCreations(trx, sql`space_id = ${spaceId} and bot_id = ${botId}`);
        const { numDeletedRows } = await trx
          .deleteFrom('bots')
          .where('space_id', '=', spaceId)
          .where('id', '=', botId)
          .executeTakeFirst();
        // A concurrent request may have deleted it.
        if (numDeletedRows === 0n) return 'removed';
        await recordAction(trx, { action: 'bot.deleted', spaceId, resourceId: botId });
        return 'removed';
      });
    },
  };
}

function botsAfter(db: Database, { spaceId }: SpaceAccess, after: number | null, limit: number) {
  return db
    .selectFrom('bots')
    .select(COLUMNS)
    .where('bots.space_id', '=', spaceId)
    .$if(after !== null, (query) => query.where('bots.id', '>', after))
    .orderBy('bots.id')
    .limit(limit);
}

function findBot(db: Database, spaceId: string, botId: number): Promise<StoredBot | undefined> {
  return db
    .selectFrom('bots')
    .select(COLUMNS)
    .where('bots.space_id', '=', spaceId)
    .where('bots.id', '=', botId)
    .executeTakeFirst();
}

/**
 * Returns the roles on a new bot by user. If nobody owns every bot of the space, the owners of its first bot own the new bot. If
 * that bot has no owner either, only an administrator can be the creator, who then owns the new bot.
 */
async function membersOfNewBot(
  trx: Database,
  spaceId: string,
  creatorId: string,
): Promise<ReadonlyMap<string, Role>> {
  const ofSpace = await ownersOfSpace(trx, spaceId).execute();
  const owners = ofSpace.length > 0 ? ofSpace : await ownersOfFirstBot(trx, spaceId);
  const members = new Map<string, Role>(owners.map(({ user_id }) => [user_id, 'owner']));
  const roles = await trx
    .selectFrom('bot_members')
    .select('role')
    .where('space_id', '=', spaceId)
    .where('user_id', '=', creatorId)
    .execute();
  const highest = highestRole(roles.map(({ role }) => role));
  if (highest !== null) members.set(creatorId, highest);
  return members.size > 0 ? members : new Map([[creatorId, 'owner']]);
}

function ownersOfFirstBot(trx: Database, spaceId: string): Promise<{ user_id: string }[]> {
  return trx
    .selectFrom('bot_members')
    .select('user_id')
    .where('space_id', '=', spaceId)
    .where('role', '=', 'owner')
    .where('bot_id', '=', (of) =>
      of
        .selectFrom('bots')
        .where('space_id', '=', spaceId)
        .select(({ fn }) => fn.min('id').as('id')),
    )
    .execute();
}

/** Reports whether a bot exists. */
export async function hasBot(
  db: Database,
  { spaceId, botId }: Pick<BotAccess, 'spaceId' | 'botId'>,
): Promise<boolean> {
  const bot = db
    .selectFrom('bots')
    .select('id')
    .where('space_id', '=', spaceId)
    .where('id', '=', botId);
  return (await bot.executeTakeFirst()) !== undefined;
}
