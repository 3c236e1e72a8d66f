import type { Database } from '../../storage/ports/index.ts';
import { forbidden, OWNER_OF_SPACE, roleOnBot, unknownSession } from './access.errors.ts';
import type { BotAccess, UserCaller } from './access.ts';
import { ownersOfSpace } from './rights.repository.ts';

type Session = Pick<UserCaller, 'sessionId'>;

/**
 * Throws 403 unless a user is an administrator or owns every bot of a space, and 401 if the session has ended. Call it in each transaction of
 * an operation that takes long, because the right can end meanwhile.
 */
export async function confirmOwnerOfSpace(
  trx: Database,
  spaceId: string,
  caller: Session,
): Promise<void> {
  const { userId, isAdmin } = await userOf(trx, caller);
  if (isAdmin) return;
  const owner = ownersOfSpace(trx, spaceId).where('user_id', '=', userId);
  if ((await owner.executeTakeFirst()) === undefined) throw forbidden(OWNER_OF_SPACE);
}

/** Like `confirmOwnerOfSpace`, for an administrator or owner of one bot. */
export async function confirmOwnerOfBot(
  trx: Database,
  { spaceId, botId }: Pick<BotAccess, 'spaceId' | 'botId'>,
  caller: Session,
): Promise<void> {
  const { userId, isAdmin } = await userOf(trx, caller);
  if (isAdmin) return;
  const owner = trx
    .selectFrom('bot_members')
    .select('user_id')
    .where('space_id', '=', spaceId)
    .where('bot_id', '=', botId)
    .where('user_id', '=', userId)
    .where('role', '=', 'owner');
  if ((await owner.executeTakeFirst()) === undefined) throw forbidden(roleOnBot('owner'));
}

async function userOf(
  trx: Database,
  { sessionId }: Session,
): Promise<{ readonly userId: string; readonly isAdmin: boolean }> {
  const user = await trx
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.is_admin'])
    .where('sessions.id', '=', sessionId)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
  if (user === undefined) throw unknownSession();
  return { userId: user.id, isAdmin: user.is_admin === 1 };
}
