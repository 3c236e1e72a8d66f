import { recordAction } from '../../platform/audit/index.ts';
import { type Database, inTransaction } from '../../storage/ports/index.ts';
import { challengeIfNeeded } from '../second-factor/challenge.repository.ts';
import type { NewChallenge } from '../second-factor/challenge.rules.ts';
import type { StoredUser } from '../users/user.rules.ts';
import type { ClientInfo, NewSession } from './session.rules.ts';

export interface UnconfirmedSession {
  readonly tokenHash: string;
  readonly userId: string;
  /** Hash of the password before the sign-in. Null if there was none. */
  readonly passwordHash: string | null;
}

export interface StoredSession {
  readonly user: StoredUser;
  /** ISO 8601. */
  readonly expiresAt: string;
}

export interface ListedSession {
  readonly id: string;
  readonly created_at: string;
  readonly last_used_at: number | null;
  readonly expires_at: string;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
}

export type TakeUser = (trx: Database) => Promise<string | undefined>;

export type Opened =
  | { readonly kind: 'opened'; readonly userId: string }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'invalid' };

export interface SessionRepository {
  find(sessionId: string): Promise<StoredSession | undefined>;
  /**
   * Returns the user's sessions with IDs greater than `after`, ordered by ID.
   *
   * @param now ISO 8601. Expired sessions are omitted.
   */
  list(userId: string, after: string | null, limit: number, now: string): Promise<ListedSession[]>;
  /** Returns the hash of the password of the user with this address. Null if there is none. */
  passwordHash(email: string): Promise<string | null>;
  /**
   * Records the client of a session that was created with a password, and the sign-in in the audit. Ends the session and returns
   * `password-changed` if the password is no longer `passwordHash`. If the sign-in needs a code, ends the
   * session, whose token was not sent to the client, and creates the challenge.
   */
  confirm(
    session: UnconfirmedSession,
    client: ClientInfo,
    challenge: NewChallenge,
  ): Promise<'confirmed' | 'password-changed' | 'code-required'>;
  /** Records a failed sign-in in the audit. `userId` is null if no user has the address. */
  recordFailure(userId: string | null): Promise<void>;
  userWithEmail(email: string): Promise<string | null>;
  /** Returns `false` if the user has no session with this ID. */
  endOwn(userId: string, sessionId: string): Promise<boolean>;
  /** Ends the user's sessions, except the session `kept`. */
  endAll(userId: string, kept?: string): Promise<void>;
  /** Deletes the user's sessions that expired at or before `before` (ISO 8601). */
  endExpired(userId: string, before: string): Promise<void>;
  isEnabled(userId: string): Promise<boolean>;
  /**
   * Creates a session of the user that `take` returns, in the same transaction.
   *
   * @param take consumes the proof of identity. Returns `undefined` if the proof is not valid.
   */
  insert(take: TakeUser, session: NewSession): Promise<Opened>;
}

export function createSessionRepository(db: Database): SessionRepository {
  return {
    find: async (sessionId) => {
      const row = await db
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .select(['users.id', 'email', 'name', 'is_admin', 'disabled_at', 'users.created_at'])
        .select('sessions.expires_at')
        .where('sessions.id', '=', sessionId)
        .executeTakeFirst();
      return row && { user: row, expiresAt: row.expires_at };
    },
    list: (userId, after, limit, now) =>
      db
        .selectFrom('sessions')
        .select(['id', 'created_at', 'last_used_at', 'expires_at', 'ip_address', 'user_agent'])
        .where('user_id', '=', userId)
        .where('id', '>', after ?? '')
        .where('expires_at', '>', now)
        .orderBy('id')
        .limit(limit)
        .execute(),
    passwordHash: async (email) => {
      const row = await db
        .selectFrom('users')
        .innerJoin('accounts', 'accounts.user_id', 'users.id')
        .select('accounts.password')
        .where('users.email', '=', email)
        .where('accounts.provider_id', '=', 'credential')
        .executeTakeFirst();
      return row?.password ?? null;
    },
    confirm: ({ tokenHash, userId, passwordHash }, { address, userAgent }, challenge) =>
      inTransaction(db, async (trx) => {
        // The update changes nothing. It conflicts with a concurrent change of the password, which thus finds the session.
        const { numUpdatedRows } = await trx
          .updateTable('accounts')
          .set({ password: passwordHash })
          .where('user_id', '=', userId)
          .where('provider_id', '=', 'credential')
          .where('password', '=', passwordHash)
          .executeTakeFirstOrThrow();
        const isChanged = numUpdatedRows === 0n;
        if (isChanged || (await challengeIfNeeded(trx, userId, challenge))) {
          await trx.deleteFrom('sessions').where('token', '=', tokenHash).execute();
          return isChanged ? 'password-changed' : 'code-required';
        }
        await trx
          .updateTable('sessions')
          .set({ ip_address: address, user_agent: userAgent })
          .where('token', '=', tokenHash)
          .execute();
        await recordAction(trx, { action: 'session.created', spaceId: null, resourceId: userId });
        return 'confirmed';
      }),
    recordFailure: (userId) =>
      inTransaction(db, (trx) =>
        recordAction(trx, { action: 'session.failed', spaceId: null, resourceId: userId }),
      ),
    userWithEmail: async (email) => {
      const user = db.selectFrom('users').select('id').where('email', '=', email);
      return (await user.executeTakeFirst())?.id ?? null;
    },
    endOwn: (userId, sessionId) =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('sessions')
          .where('user_id', '=', userId)
          .where('id', '=', sessionId)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return false;
        await recordAction(trx, { action: 'session.ended', spaceId: null, resourceId: userId });
        return true;
      }),
    endAll: (userId, kept) =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('sessions')
          .where('user_id', '=', userId)
          .$if(kept !== undefined, (query) => query.where('id', '!=', kept ?? ''))
          .executeTakeFirst();
        const details = { count: Number(numDeletedRows) };
        if (details.count > 0)
          await recordAction(trx, {
            action: 'sessions.ended',
            spaceId: null,
            resourceId: userId,
            details,
          });
      }),
    endExpired: async (userId, before) => {
      await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('expires_at', '<=', before)
        .execute();
    },
    isEnabled: (userId) => isEnabled(db, userId),
    insert: (take, session) =>
      inTransaction(db, async (trx): Promise<Opened> => {
        const userId = await take(trx);
        if (userId === undefined) return { kind: 'invalid' };
        if (!(await isEnabled(trx, userId))) return { kind: 'disabled' };
        await insertSession(trx, userId, session);
        return { kind: 'opened', userId };
      }),
  };
}

async function isEnabled(db: Database, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Creates a session of a user. The caller has checked that the user is enabled, in the same transaction. */
export async function insertSession(
  trx: Database,
  userId: string,
  { id, tokenHash, now, expiresAt, address, userAgent }: NewSession,
): Promise<void> {
  const time = new Date(now).toISOString();
  await trx
    .insertInto('sessions')
    .values({
      id,
      user_id: userId,
      token: tokenHash,
      expires_at: new Date(expiresAt).toISOString(),
      ip_address: address,
      user_agent: userAgent,
      created_at: time,
      updated_at: time,
      last_used_at: null,
    })
    .execute();
  await recordAction(trx, { action: 'session.created', spaceId: null, resourceId: userId });
}
