import type { Role } from '@gatehouse/contract';
import { recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { inTransaction } from '../../storage/ports/index.ts';
import type { UserCaller } from '../access/access.ts';
import type { NewSession } from '../sessions/session.rules.ts';
import { addRole } from '../single-sign-on/grants.repository.ts';
import { insertUser, type NewAccount } from '../users/user.repository.ts';
import type { LinkTimes } from './one-time-link.rules.ts';
import { open, type Redeemed } from './redemption.repository.ts';

export interface FoundInvitation extends LinkTimes {
  readonly purpose: 'invitation';
  readonly id: string;
  readonly space_id: string;
  readonly bot_id: number;
  readonly email: string;
  readonly role: Role;
  readonly invited_by: string;
}

export interface InvitationRedemptionRepository {
  find(tokenHash: string): Promise<FoundInvitation | undefined>;
  /** Reports whether the inviter is still enabled, and still an owner of the bot or an administrator. */
  isValid(invitation: FoundInvitation): Promise<boolean>;
  userWithEmail(email: string): Promise<string | undefined>;
  /** Creates a user and gives the role to the user. `email-taken` if the user exists. */
  register(
    invitation: FoundInvitation,
    account: NewAccount,
    session: NewSession,
  ): Promise<Redeemed>;
  /**
   * Gives the role to the user with the invited address. `gone` if the user is disabled. `session-ended` if the caller's
   * session has ended, because an ended session must not create a new one.
   */
  accept(
    invitation: FoundInvitation,
    caller: UserCaller,
    session: NewSession,
  ): Promise<Redeemed | { readonly kind: 'session-ended' }>;
}

/** Creates the repository. Each redemption is one transaction, as those of `RedemptionRepository` are. */
export function createInvitationRedemptionRepository(db: Database): InvitationRedemptionRepository {
  return {
    find: async (tokenHash) => {
      const row = await db
        .selectFrom('invitations')
        .select(['id', 'space_id', 'bot_id', 'email', 'role', 'invited_by'])
        .select(['expires_at', 'ended_at'])
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst();
      return row && { ...row, purpose: 'invitation' };
    },
    isValid: (invitation) => mayInvite(db, invitation),
    userWithEmail: async (email) => {
      const users = db.selectFrom('users').select('id').where('email', '=', email);
      return (await users.executeTakeFirst())?.id;
    },
    register: (invitation, account, session) =>
      inTransaction(db, async (trx): Promise<Redeemed> => {
        const { email } = account;
        const other = trx.selectFrom('users').select('id').where('email', '=', email);
        if ((await other.executeTakeFirst()) !== undefined) return { kind: 'email-taken' };
        if (
          !(await mayInvite(trx, invitation)) ||
          !(await end(trx, invitation, account.id, session.now))
        )
          return { kind: 'gone' };
        await insertUser(trx, account, session.now);
        await giveRole(trx, invitation, account.id, session.now);
        return open(trx, account.id, session);
      }),
    accept: (invitation, { userId, sessionId }, session) =>
      inTransaction(db, async (trx) => {
        const current = trx.selectFrom('sessions').select('id').where('id', '=', sessionId);
        if ((await current.executeTakeFirst()) === undefined) return { kind: 'session-ended' };
        const enabled = trx
          .selectFrom('users')
          .select('id')
          .where('id', '=', userId)
          .where('email', '=', invitation.email)
          .where('disabled_at', 'is', null);
        if ((await enabled.executeTakeFirst()) === undefined) return { kind: 'gone' };
        if (
          !(await mayInvite(trx, invitation)) ||
          !(await end(trx, invitation, userId, session.now))
        )
          return { kind: 'gone' };
        await giveRole(trx, invitation, userId, session.now);
        return open(trx, userId, session);
      }),
  };
}

async function mayInvite(trx: Database, invitation: FoundInvitation): Promise<boolean> {
  const inviter = await trx
    .selectFrom('users')
    .select('is_admin')
    .where('id', '=', invitation.invited_by)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  if (inviter === undefined) return false;
  if (inviter.is_admin === 1) return true;
  return (await roleOf(trx, invitation, invitation.invited_by)) === 'owner';
}

async function end(
  trx: Database,
  invitation: FoundInvitation,
  userId: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('invitations')
    .set({ ended_at: now })
    .where('space_id', '=', invitation.space_id)
    .where('id', '=', invitation.id)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows !== 1n) return false;
  await recordAction(trx, {
    action: 'invitation.accepted',
    spaceId: invitation.space_id,
    resourceId: invitation.id,
    details: { botId: invitation.bot_id, role: invitation.role, userId },
  });
  return true;
}

/** Gives the invited role to a user, unless the user already has a higher one. */
function giveRole(
  trx: Database,
  { space_id: spaceId, bot_id: botId, role }: FoundInvitation,
  userId: string,
  now: number,
): Promise<void> {
  return addRole(trx, { spaceId, botId }, { userId, role, now });
}

async function roleOf(
  trx: Database,
  { space_id, bot_id }: FoundInvitation,
  userId: string,
): Promise<Role | undefined> {
  const member = await trx
    .selectFrom('bot_members')
    .select('role')
    .where('space_id', '=', space_id)
    .where('bot_id', '=', bot_id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return member?.role;
}
