import { recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { inTransaction } from '../../storage/ports/index.ts';
import { challengeIfNeeded } from '../second-factor/challenge.repository.ts';
import type { NewChallenge } from '../second-factor/challenge.rules.ts';
import { insertSession } from '../sessions/session.repository.ts';
import type { NewSession } from '../sessions/session.rules.ts';
import { findUser, insertUser, type NewAccount, setPassword } from '../users/user.repository.ts';
import type { StoredUser } from '../users/user.rules.ts';
import { creationDetails, endLinksOf, hasAdministrator } from './one-time-link.repository.ts';
import type { LinkTimes } from './one-time-link.rules.ts';

export interface FoundLink extends LinkTimes {
  readonly id: string;
  readonly purpose: 'setup' | 'reset' | 'sign-in';
  readonly user_id: string | null;
  /** Null for a setup link. */
  readonly email: string | null;
}

export type Redeemed =
  | { readonly kind: 'redeemed'; readonly user: StoredUser }
  /** The challenge was created instead of the session, because the user has a second factor. */
  | { readonly kind: 'code-required'; readonly email: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'email-taken' };

/** The session to create. If the user has a second factor, the challenge is created instead. */
export interface SessionOrChallenge {
  readonly session: NewSession;
  readonly challenge: NewChallenge;
}

/**
 * Redeems links. Each method checks the link, ends it and creates the session in one transaction, so a link is redeemed
 * completely or not at all, and only once.
 */
export interface RedemptionRepository {
  find(tokenHash: string): Promise<FoundLink | undefined>;
  /** Creates the first administrator. `gone` if an administrator exists. */
  setUp(linkId: string, account: NewAccount, session: NewSession): Promise<Redeemed>;
  /**
   * Sets the password and ends the sessions and the other links of the user. `gone` if the user is disabled, or if the administrator who
   * created the link no longer is one.
   */
  resetPassword(
    linkId: string,
    passwordHash: string,
    opening: SessionOrChallenge,
  ): Promise<Redeemed>;
  signIn(linkId: string, opening: SessionOrChallenge): Promise<Redeemed>;
}

export function createRedemptionRepository(db: Database): RedemptionRepository {
  return {
    find: (tokenHash) =>
      db
        .selectFrom('one_time_links')
        .leftJoin('users', 'users.id', 'one_time_links.user_id')
        .select(['one_time_links.id', 'purpose', 'user_id', 'expires_at', 'ended_at'])
        .select('users.email')
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst(),
    setUp: (linkId, account, session) =>
      inTransaction(db, async (trx): Promise<Redeemed> => {
        if (await hasAdministrator(trx)) return { kind: 'gone' };
        const { email } = account;
        const other = trx.selectFrom('users').select('id').where('email', '=', email);
        if ((await other.executeTakeFirst()) !== undefined) return { kind: 'email-taken' };
        if (!(await end(trx, linkId, session.now))) return { kind: 'gone' };
        await insertUser(trx, account, session.now);
        return open(trx, account.id, session);
      }),
    resetPassword: (linkId, passwordHash, opening) =>
      inTransaction(db, async (trx): Promise<Redeemed> => {
        const { session } = opening;
        const userId = await enabledUserOf(trx, linkId);
        if (
          userId === undefined ||
          !(await isCreatorAdministrator(trx, userId, linkId)) ||
          !(await end(trx, linkId, session.now))
        )
          return { kind: 'gone' };
        await setPassword(trx, userId, passwordHash, session.now);
        await recordAction(trx, { action: 'password.reset', spaceId: null, resourceId: userId });
        await endLinksOf(trx, userId, session.now);
        await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
        return openOrChallenge(trx, userId, opening);
      }),
    signIn: (linkId, opening) =>
      inTransaction(db, async (trx): Promise<Redeemed> => {
        const userId = await enabledUserOf(trx, linkId);
        if (userId === undefined || !(await end(trx, linkId, opening.session.now)))
          return { kind: 'gone' };
        return openOrChallenge(trx, userId, opening);
      }),
  };
}

/** Ends a link. Returns `false` if the link has ended or expired. */
async function end(trx: Database, linkId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('one_time_links')
    .set({ ended_at: now })
    .where('id', '=', linkId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

async function enabledUserOf(trx: Database, linkId: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('one_time_links')
    .innerJoin('users', 'users.id', 'one_time_links.user_id')
    .select('users.id')
    .where('one_time_links.id', '=', linkId)
    .where('users.disabled_at', 'is', null)
    .executeTakeFirst();
  return row?.id;
}

/**
 * Reports whether the administrator who created a reset link still is one. Only the audit names the creator. Returns `true` for a link of an
 * operator.
 */
async function isCreatorAdministrator(
  trx: Database,
  userId: string,
  linkId: string,
): Promise<boolean> {
  const entry = await trx
    .selectFrom('audit_entries')
    .leftJoin('users', 'users.id', 'audit_entries.actor_id')
    .select(['audit_entries.actor_kind', 'users.is_admin', 'users.disabled_at'])
    .where('audit_entries.resource_id', '=', userId)
    .where('audit_entries.action', '=', 'reset-link.created')
    .where('audit_entries.details', '=', JSON.stringify(creationDetails(linkId)))
    .executeTakeFirst();
  if (entry?.actor_kind !== 'user') return true;
  return entry.is_admin === 1 && entry.disabled_at === null;
}

async function openOrChallenge(
  trx: Database,
  userId: string,
  { session, challenge }: SessionOrChallenge,
): Promise<Redeemed> {
  if (!(await challengeIfNeeded(trx, userId, challenge))) return open(trx, userId, session);
  const user = await findUser(trx, userId);
  return user === undefined ? { kind: 'gone' } : { kind: 'code-required', email: user.email };
}

/** Creates the session of a user who exists. */
export async function open(
  trx: Database,
  userId: string,
  session: NewSession,
): Promise<{ kind: 'redeemed'; user: StoredUser }> {
  await insertSession(trx, userId, session);
  const user = await findUser(trx, userId);
  if (user === undefined) throw new Error('The user does not exist.');
  return { kind: 'redeemed', user };
}
