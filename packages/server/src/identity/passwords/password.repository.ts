import { recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { inTransaction } from '../../storage/ports/index.ts';
import { endLinksOf } from '../one-time-links/one-time-link.repository.ts';
import { setPassword } from '../users/user.repository.ts';

export interface StoredPassword {
  readonly email: string;
  /** Hash of the password. Null if the user has none. */
  readonly password: string | null;
}

export interface PasswordReplacement {
  readonly userId: string;
  /** The session that survives. */
  readonly sessionId: string;
  readonly oldHash: string;
  readonly newHash: string;
}

export interface PasswordRepository {
  find(userId: string): Promise<StoredPassword | undefined>;
  /**
   * Replaces the password, and ends the other sessions and the one-time links of the user. Returns `false` if the password
   * is no longer `oldHash` or the session has ended.
   *
   * @param now Unix milliseconds.
   */
  replace(replacement: PasswordReplacement, now: number): Promise<boolean>;
}

export function createPasswordRepository(db: Database): PasswordRepository {
  return {
    find: (userId) => findPassword(db, userId),
    replace: ({ userId, sessionId, oldHash, newHash }, now) =>
      inTransaction(db, async (trx) => {
        if ((await findPassword(trx, userId))?.password !== oldHash) return false;
        const session = trx.selectFrom('sessions').select('id').where('id', '=', sessionId);
        if ((await session.executeTakeFirst()) === undefined) return false;
        await setPassword(trx, userId, newHash, now);
        await endLinksOf(trx, userId, now);
        await recordAction(trx, { action: 'password.changed', spaceId: null, resourceId: userId });
        await trx
          .deleteFrom('sessions')
          .where('user_id', '=', userId)
          .where('id', '!=', sessionId)
          .execute();
        return true;
      }),
  };
}

function findPassword(db: Database, userId: string): Promise<StoredPassword | undefined> {
  return db
    .selectFrom('users')
    .leftJoin('accounts', (join) =>
      join.onRef('accounts.user_id', '=', 'users.id').on('accounts.provider_id', '=', 'credential'),
    )
    .select(['users.email', 'accounts.password'])
    .where('users.id', '=', userId)
    .executeTakeFirst();
}
