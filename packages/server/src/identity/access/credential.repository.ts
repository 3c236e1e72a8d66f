import type { Database } from '../../storage/ports/index.ts';
import { prepare } from '../../storage/ports/index.ts';

export interface FoundSession {
  readonly id: string;
  readonly user_id: string;
  /** ISO 8601. */
  readonly expires_at: string;
  readonly is_admin: number;
  readonly disabled_at: number | null;
  readonly last_used_at: number | null;
}

export interface FoundKey {
  readonly id: string;
  readonly space_id: string;
  readonly scopes: string;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
}

export interface CredentialRepository {
  session(tokenHash: string): Promise<FoundSession | undefined>;
  key(keyHash: string): Promise<FoundKey | undefined>;
  /** @param usedAt Unix milliseconds. */
  recordKeyUse(key: { id: string; spaceId: string }, usedAt: number): Promise<void>;
  /** @param usedAt Unix milliseconds. */
  recordSessionUse(sessionId: string, usedAt: number): Promise<void>;
}

/** Creates the repository of credentials. Every request needs a lookup, so each lookup is one prepared, indexed read. */
export function createCredentialRepository(db: Database): CredentialRepository {
  const findSession = prepare(db, ({ hash }: { hash: string }) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['sessions.id', 'sessions.user_id', 'sessions.expires_at', 'sessions.last_used_at'])
      .select(['users.is_admin', 'users.disabled_at'])
      .where('sessions.token', '=', hash),
  );
  const findKey = prepare(db, ({ hash }: { hash: string }) =>
    db
      .selectFrom('api_keys')
      .select(['id', 'space_id', 'scopes', 'expires_at', 'last_used_at'])
      .where('key_hash', '=', hash),
  );
  return {
    session: async (hash) => (await findSession({ hash }))[0],
    key: async (hash) => (await findKey({ hash }))[0],
    recordKeyUse: async ({ id, spaceId }, usedAt) => {
      await db
        .updateTable('api_keys')
        .set({ last_used_at: usedAt })
        .where('space_id', '=', spaceId)
        .where('id', '=', id)
        .execute();
    },
    recordSessionUse: async (sessionId, usedAt) => {
      await db
        .updateTable('sessions')
        .set({ last_used_at: usedAt })
        .where('id', '=', sessionId)
        .execute();
    },
  };
}
