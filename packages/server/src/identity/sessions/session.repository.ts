import { type Database, retryConflicts } from '../../storage/ports/index.ts';
import type { StoredUser } from '../users/user.rules.ts';
import type { ClientInfo } from './session.rules.ts';

export interface NewSession extends ClientInfo {
  readonly id: string;
  readonly tokenHash: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

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

export interface SessionRepository {
  find(sessionId: string): Promise<StoredSession | undefined>;
  /**
   * Returns the user's sessions with ids greater than `after`, ordered by id.
   *
   * @param now ISO 8601. Expired sessions are omitted.
   */
  list(userId: string, after: string | null, limit: number, now: string): Promise<ListedSession[]>;
  /** Returns the hash of the password of the user with this address. Null if there is none. */
  passwordHash(email: string): Promise<string | null>;
  /**
   * Records the client of a session that was created with a password. Ends the session and returns `false` if the password
   * is no longer `passwordHash`.
   */
  confirm(session: UnconfirmedSession, client: ClientInfo): Promise<boolean>;
  end(sessionId: string): Promise<void>;
  /** Returns `false` if the user has no session with this id. */
  endOwn(userId: string, sessionId: string): Promise<boolean>;
  /** Ends the user's sessions, except the session `kept`. */
  endAll(userId: string, kept?: string): Promise<void>;
  /** Deletes the user's sessions that expired at or before `before` (ISO 8601). */
  endExpired(userId: string, before: string): Promise<void>;
  isEnabled(userId: string): Promise<boolean>;
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
    confirm: async ({ tokenHash, userId, passwordHash }, { address, userAgent }) => {
      // The update changes nothing. It conflicts with a concurrent change of the password, which thus finds the session.
      const { numUpdatedRows } = await retryConflicts(() =>
        db
          .updateTable('accounts')
          .set({ password: passwordHash })
          .where('user_id', '=', userId)
          .where('provider_id', '=', 'credential')
          .where('password', '=', passwordHash)
          .executeTakeFirstOrThrow(),
      );
      if (numUpdatedRows === 0n) {
        await db.deleteFrom('sessions').where('token', '=', tokenHash).execute();
        return false;
      }
      await db
        .updateTable('sessions')
        .set({ ip_address: address, user_agent: userAgent })
        .where('token', '=', tokenHash)
        .execute();
      return true;
    },
    endOwn: async (userId, sessionId) => {
      const { numDeletedRows } = await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('id', '=', sessionId)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    endAll: async (userId, kept) => {
      await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .$if(kept !== undefined, (query) => query.where('id', '!=', kept ?? ''))
        .execute();
    },
    end: async (sessionId) => {
      await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
    },
    endExpired: async (userId, before) => {
      await db
        .deleteFrom('sessions')
        .where('user_id', '=', userId)
        .where('expires_at', '<=', before)
        .execute();
    },
    isEnabled: async (userId) => {
      const row = await db
        .selectFrom('users')
        .select('id')
        .where('id', '=', userId)
        .where('disabled_at', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
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
}
