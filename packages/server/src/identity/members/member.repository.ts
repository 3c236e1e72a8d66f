import type { Role } from '@gatehouse/contract';
import { recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { inTransaction } from '../../storage/ports/index.ts';
import type { BotAccess } from '../access/access.ts';
import { hasBot } from '../bots/bot.repository.ts';
import { keepRole } from '../single-sign-on/grants.repository.ts';
import type { StoredMember } from '../spaces/space.rules.ts';
import { hasPattern, listPeople, type PeopleListQuery } from '../users/people-list.repository.ts';

export interface MemberRepository {
  list(bot: BotAccess, query: PeopleListQuery): Promise<StoredMember[]>;
  find(bot: BotAccess, userId: string): Promise<StoredMember | undefined>;
  /**
   * Assigns a role to a user, unless that leaves the bot without an owner.
   *
   * @param now Unix milliseconds.
   */
  put(
    bot: BotAccess,
    userId: string,
    role: Role,
    now: number,
  ): Promise<StoredMember | 'last-owner' | 'unknown-user' | 'unknown-bot'>;
  /** Removes a user's role, unless that leaves the bot without an owner. */
  remove(bot: BotAccess, userId: string): Promise<'removed' | 'last-owner'>;
}

export function createMemberRepository(db: Database): MemberRepository {
  return {
    list: (bot, query) =>
      listPeople(query, ({ after, limit, pattern }) => {
        let found = members(db, bot).where('bot_members.user_id', '>', after ?? '');
        if (pattern !== null) found = found.where(hasPattern(pattern));
        return found.orderBy('bot_members.user_id').limit(limit).execute();
      }),
    find: (bot, userId) => findMember(db, bot, userId),
    put: (bot, userId, role, now) =>
      inTransaction(db, async (trx) => {
        const { spaceId, botId } = bot;
        if (!(await hasBot(trx, bot))) return 'unknown-bot';
        const user = trx.selectFrom('users').select('id').where('id', '=', userId);
        if ((await user.executeTakeFirst()) === undefined) return 'unknown-user';
        if (role !== 'owner' && (await isLastOwner(trx, bot, userId))) return 'last-owner';
        await trx
          .insertInto('bot_members')
          .values({ space_id: spaceId, bot_id: botId, user_id: userId, role, created_at: now })
          .onConflict((conflict) =>
            conflict.columns(['space_id', 'bot_id', 'user_id']).doUpdateSet({ role }),
          )
          .execute();
        await keepRole(trx, bot, userId);
        await recordAction(trx, {
          action: 'member.changed',
          spaceId,
          resourceId: userId,
          details: { botId, role },
        });
        return (await findMember(trx, bot, userId)) ?? 'unknown-user';
      }),
    remove: (bot, userId) =>
      inTransaction(db, async (trx) => {
        if (await isLastOwner(trx, bot, userId)) return 'last-owner';
        const { spaceId, botId } = bot;
        const { numDeletedRows } = await trx
          .deleteFrom('bot_members')
          .where('space_id', '=', spaceId)
          .where('bot_id', '=', botId)
          .where('user_id', '=', userId)
          .executeTakeFirst();
        if (numDeletedRows > 0n)
          await recordAction(trx, {
            action: 'member.removed',
            spaceId,
            resourceId: userId,
            details: { botId },
          });
        return 'removed';
      }),
  };
}

function members(db: Database, { spaceId, botId }: BotAccess) {
  return db
    .selectFrom('bot_members')
    .innerJoin('users', 'users.id', 'bot_members.user_id')
    .select(['bot_members.user_id', 'users.email', 'users.name', 'bot_members.role'])
    .where('bot_members.space_id', '=', spaceId)
    .where('bot_members.bot_id', '=', botId);
}

function findMember(
  db: Database,
  bot: BotAccess,
  userId: string,
): Promise<StoredMember | undefined> {
  return members(db, bot).where('bot_members.user_id', '=', userId).executeTakeFirst();
}

async function isLastOwner(trx: Database, bot: BotAccess, userId: string): Promise<boolean> {
  const owners = await trx
    .selectFrom('bot_members')
    .select('user_id')
    .where('space_id', '=', bot.spaceId)
    .where('bot_id', '=', bot.botId)
    .where('role', '=', 'owner')
    .limit(2)
    .execute();
  return owners.length === 1 && owners[0]?.user_id === userId;
}
