import type { Database } from '../../storage/ports/index.ts';
import type { StoredUser } from '../users/user.rules.ts';

export interface StoredSession {
  readonly user: StoredUser;
  /** ISO 8601. */
  readonly expiresAt: string;
}

export interface SessionRepository {
  find(sessionId: string): Promise<StoredSession | undefined>;
  end(sessionId: string): Promise<void>;
  endByHash(tokenHash: string): Promise<void>;
  /** Deletes the user's sessions that expired at or before `before` (ISO 8601). */
  endExpired(userId: string, before: string): Promise<void>;
  isEnabled(userId: string): Promise<boolean>;
  /**
   * Reports whether the user has a password that has not changed after `time`.
   *
   * @param time ISO 8601.
   */
  hasPasswordSince(userId: string, time: string): Promise<boolean>;
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
    end: async (sessionId) => {
      await db.deleteFrom('sessions').where('id', '=', sessionId).execute();
    },
    endByHash: async (tokenHash) => {
      await db.deleteFrom('sessions').where('token', '=', tokenHash).execute();
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
    hasPasswordSince: async (userId, time) => {
      const row = await db
        .selectFrom('accounts')
        .select('id')
        .where('user_id', '=', userId)
        .where('provider_id', '=', 'credential')
        .where('updated_at', '<=', time)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
