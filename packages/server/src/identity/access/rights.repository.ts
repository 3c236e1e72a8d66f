import type { ConversationAccess, Role } from '@gatehouse/contract';
import type { Database } from '../../storage/ports/index.ts';
import { prepare } from '../../storage/ports/index.ts';

export interface RightsRepository {
  rolesInSpace(userId: string, spaceId: string): Promise<Role[]>;
  /** Reports whether a user is an owner of every bot of a space. */
  ownsSpace(userId: string, spaceId: string): Promise<boolean>;
  spaceExists(spaceId: string): Promise<boolean>;
  /** Returns `undefined` if the space does not exist. */
  conversationAccess(spaceId: string): Promise<ConversationAccess | undefined>;
  roleOnBot(userId: string, botId: number): Promise<{ spaceId: string; role: Role } | undefined>;
  spaceOfBot(botId: number): Promise<string | undefined>;
}

/** Creates the repository of roles. Roles are not cached, so changes take effect immediately. */
export function createRightsRepository(db: Database): RightsRepository {
  const findRolesInSpace = prepare(db, (value: { userId: string; spaceId: string }) =>
    db
      .selectFrom('bot_members')
      .select('role')
      .where('user_id', '=', value.userId)
      .where('space_id', '=', value.spaceId),
  );
  const findSpace = prepare(db, (value: { spaceId: string }) =>
    db.selectFrom('spaces').select('id').where('id', '=', value.spaceId),
  );
  const findConversationAccess = prepare(db, (value: { spaceId: string }) =>
    db.selectFrom('spaces').select('conversation_access').where('id', '=', value.spaceId),
  );
  const findRoleOnBot = prepare(db, (value: { userId: string; botId: number }) =>
    db
      .selectFrom('bot_members')
      .select(['space_id', 'role'])
      .where('bot_id', '=', value.botId)
      .where('user_id', '=', value.userId),
  );
  const findBot = prepare(db, (value: { botId: number }) =>
    db.selectFrom('bots').select('space_id').where('id', '=', value.botId),
  );
  return {
    rolesInSpace: async (userId, spaceId) => {
      const rows = await findRolesInSpace({ userId, spaceId });
      return rows.map((row) => row.role);
    },
    ownsSpace: async (userId, spaceId) =>
      (await ownersOfSpace(db, spaceId).where('user_id', '=', userId).execute()).length > 0,
    spaceExists: async (spaceId) => (await findSpace({ spaceId })).length > 0,
    conversationAccess: async (spaceId) =>
      (await findConversationAccess({ spaceId }))[0]?.conversation_access,
    roleOnBot: async (userId, botId) => {
      const [row] = await findRoleOnBot({ userId, botId });
      return row && { spaceId: row.space_id, role: row.role };
    },
    spaceOfBot: async (botId) => (await findBot({ botId }))[0]?.space_id,
  };
}

/** Returns a query for the users that own every bot of a space. */
export function ownersOfSpace(db: Database, spaceId: string) {
  return db
    .selectFrom('bot_members')
    .select('user_id')
    .where('space_id', '=', spaceId)
    .where('role', '=', 'owner')
    .groupBy('user_id')
    .having(
      (having) => having.fn.countAll<number>(),
      '=',
      db
        .selectFrom('bots')
        .where('space_id', '=', spaceId)
        .select(({ fn }) => fn.countAll<number>().as('count')),
    );
}
