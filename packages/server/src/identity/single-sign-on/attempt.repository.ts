import { type Database, inTransaction } from '../../storage/ports/index.ts';

export interface AttemptRepository {
  /**
   * Marks a state as used until it expires. Returns `false` if the state was used before.
   *
   * @param expiresAt Unix milliseconds, as `now`.
   */
  claimState(stateHash: string, expiresAt: number, now: number): Promise<boolean>;
}

/** A code that a browser exchanges for a session. */
export interface NewCode {
  readonly hash: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
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
  };
}

/** Adds a code in the transaction of the sign-in, so that unlinking the user deletes it. */
export async function addCode(
  trx: Database,
  { hash, expiresAt }: NewCode,
  userId: string,
): Promise<void> {
  await trx
    .insertInto('sso_codes')
    .values({ code_hash: hash, user_id: userId, expires_at: expiresAt })
    .execute();
}

/**
 * Deletes a code and returns its user, or `undefined` if the code is unknown or has expired. The caller creates the session in the
 * same transaction, so that unlinking the user deletes either the code or the session.
 *
 * @param now Unix milliseconds.
 */
export async function takeCode(
  trx: Database,
  codeHash: string,
  now: number,
): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('sso_codes')
    .where('code_hash', '=', codeHash)
    .returning(['user_id', 'expires_at'])
    .executeTakeFirst();
  return row !== undefined && row.expires_at > now ? row.user_id : undefined;
}
