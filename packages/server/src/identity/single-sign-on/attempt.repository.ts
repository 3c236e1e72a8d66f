import { type Database, inTransaction } from '../../storage/ports/index.ts';

export interface AttemptRepository {
  /**
   * Marks a state as used until it expires. Returns `false` if the state was used before.
   *
   * @param expiresAt Unix milliseconds, as `now`.
   */
  claimState(stateHash: string, expiresAt: number, now: number): Promise<boolean>;
  addCode(codeHash: string, userId: string, expiresAt: number): Promise<void>;
  /** Deletes a code and returns its user, or `undefined` if the code is unknown or has expired. */
  takeCode(codeHash: string, now: number): Promise<string | undefined>;
}

export function createAttemptRepository(db: Database): AttemptRepository {
  return {
    claimState: (stateHash, expiresAt, now) =>
      inTransaction(db, async (trx) => {
        await trx.deleteFrom('sso_states').where('expires_at', '<=', now).execute();
        await trx.deleteFrom('sso_codes').where('expires_at', '<=', now).execute();
        const inserted = await trx
          .insertInto('sso_states')
          .values({ state_hash: stateHash, expires_at: expiresAt })
          .onConflict((conflict) => conflict.column('state_hash').doNothing())
          .returning('state_hash')
          .executeTakeFirst();
        return inserted !== undefined;
      }),
    addCode: async (codeHash, userId, expiresAt) => {
      await db
        .insertInto('sso_codes')
        .values({ code_hash: codeHash, user_id: userId, expires_at: expiresAt })
        .execute();
    },
    takeCode: async (codeHash, now) => {
      const row = await db
        .deleteFrom('sso_codes')
        .where('code_hash', '=', codeHash)
        .returning(['user_id', 'expires_at'])
        .executeTakeFirst();
      return row !== undefined && row.expires_at > now ? row.user_id : undefined;
    },
  };
}
