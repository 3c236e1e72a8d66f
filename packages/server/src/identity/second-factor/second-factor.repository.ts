import { recordAction } from '../../platform/audit/index.ts';
import { type Database, inTransaction } from '../../storage/ports/index.ts';
import { foldEmail } from '../users/user.rules.ts';
import { type Proof, useRecoveryCode } from './code-sign-in.repository.ts';

export interface StoredSecondFactor {
  /** Encrypted. */
  readonly secret: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Unix milliseconds. Null: not confirmed. */
  readonly enabledAt: number | null;
  /** Time step of the last accepted code. */
  readonly usedStep: number;
  readonly recoveryCodes: number;
}

export interface Enabling {
  readonly userId: string;
  /** The session that does not end. */
  readonly sessionId: string;
  /** The confirmed secret, encrypted. */
  readonly secret: string;
  /** Time step of the first code. */
  readonly step: number;
  readonly recoveryCodeHashes: readonly string[];
}

export interface SecondFactorRepository {
  find(userId: string): Promise<StoredSecondFactor | undefined>;
  /**
   * Stores an unconfirmed secret, which replaces an earlier unconfirmed one. Returns `false` if a second factor is enabled.
   *
   * @param now Unix milliseconds.
   */
  start(userId: string, secret: string, now: number): Promise<boolean>;
  /**
   * Enables the second factor and ends the other sessions of the user, because somebody who knows the password may have opened them.
   * Does nothing if the unconfirmed secret was replaced or enabled, or if the session has ended.
   *
   * @param now Unix milliseconds.
   */
  enable(
    enabling: Enabling,
    now: number,
  ): Promise<'enabled' | 'replaced' | 'exists' | 'session-ended'>;
  /** Deletes a second factor that is not enabled. */
  cancel(userId: string): Promise<void>;
  /**
   * Deletes the enabled second factor. Returns `false` if the code was used in the meantime, or the second factor was replaced.
   *
   * @param secret the secret with which the proof was checked, encrypted.
   */
  disable(userId: string, secret: string, proof: Proof): Promise<boolean>;
  /** Deletes the second factor of another user. Returns `false` for an unknown user. */
  remove(userId: string): Promise<boolean>;
}

export function createSecondFactorRepository(db: Database): SecondFactorRepository {
  return {
    find: (userId) => find(db, userId),
    start: (userId, secret, now) =>
      inTransaction(db, async (trx) => {
        const current = await find(trx, userId);
        if (current !== undefined && current.enabledAt !== null) return false;
        await deleteSecondFactor(trx, userId);
        await trx
          .insertInto('second_factors')
          .values({
            user_id: userId,
            secret,
            created_at: now,
            enabled_at: null,
            last_step: 0,
            failures: 0,
            blocked_until: 0,
          })
          .execute();
        return true;
      }),
    enable: ({ userId, sessionId, secret, step, recoveryCodeHashes }, now) =>
      inTransaction(db, async (trx) => {
        const session = trx.selectFrom('sessions').select('id').where('id', '=', sessionId);
        if ((await session.executeTakeFirst()) === undefined) return 'session-ended';
        const current = await find(trx, userId);
        if (current?.secret !== secret) return 'replaced';
        if (current.enabledAt !== null) return 'exists';
        await trx
          .updateTable('second_factors')
          .set({ enabled_at: now, last_step: step })
          .where('user_id', '=', userId)
          .execute();
        // The update changes nothing. It conflicts with a concurrent sign-in, whose session would otherwise survive.
        await trx
          .updateTable('accounts')
          .set(({ ref }) => ({ password: ref('password') }))
          .where('user_id', '=', userId)
          .where('provider_id', '=', 'credential')
          .execute();
        await trx
          .insertInto('recovery_codes')
          .values(recoveryCodeHashes.map((code_hash) => ({ user_id: userId, code_hash })))
          .execute();
        await trx
          .deleteFrom('sessions')
          .where('user_id', '=', userId)
          .where('id', '!=', sessionId)
          .execute();
        const action = 'second-factor.enabled';
        await recordAction(trx, { action, spaceId: null, resourceId: userId });
        return 'enabled';
      }),
    cancel: async (userId) => {
      await db
        .deleteFrom('second_factors')
        .where('user_id', '=', userId)
        .where('enabled_at', 'is', null)
        .execute();
    },
    disable: (userId, secret, proof) =>
      inTransaction(db, async (trx) => {
        const current = await find(trx, userId);
        if (current?.secret !== secret) return false;
        const isUnused =
          proof.kind === 'app'
            ? proof.step > current.usedStep
            : await useRecoveryCode(trx, userId, proof.codeHash);
        if (!isUnused) return false;
        await deleteSecondFactor(trx, userId);
        const action = 'second-factor.disabled';
        await recordAction(trx, { action, spaceId: null, resourceId: userId });
        return true;
      }),
    remove: (userId) =>
      inTransaction(db, async (trx) => {
        const user = trx.selectFrom('users').select('id').where('id', '=', userId);
        if ((await user.executeTakeFirst()) === undefined) return false;
        const action = 'second-factor.removed';
        if (await deleteSecondFactor(trx, userId))
          await recordAction(trx, { action, spaceId: null, resourceId: userId });
        return true;
      }),
  };
}

/** Deletes the second factor of the user with an address, for operators. */
export function removeSecondFactorOf(
  db: Database,
  email: string,
): Promise<'removed' | 'none' | 'unknown-user'> {
  return inTransaction(db, async (trx) => {
    const user = await trx
      .selectFrom('users')
      .select('id')
      .where('email', '=', foldEmail(email))
      .executeTakeFirst();
    if (user === undefined) return 'unknown-user';
    if (!(await deleteSecondFactor(trx, user.id))) return 'none';
    await recordAction(trx, {
      action: 'second-factor.removed',
      spaceId: null,
      resourceId: user.id,
    });
    return 'removed';
  });
}

async function find(db: Database, userId: string): Promise<StoredSecondFactor | undefined> {
  const row = await db
    .selectFrom('second_factors')
    .select(['secret', 'created_at', 'enabled_at', 'last_step'])
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const codes = await db
    .selectFrom('recovery_codes')
    .select('code_hash')
    .where('user_id', '=', userId)
    .execute();
  return {
    secret: row.secret,
    createdAt: row.created_at,
    enabledAt: row.enabled_at,
    usedStep: row.last_step,
    recoveryCodes: codes.length,
  };
}

/**
 * Deletes the second factor of a user, its recovery codes and the sign-ins that wait for a code. Returns `false` if no second factor was
 * enabled.
 */
export async function deleteSecondFactor(trx: Database, userId: string): Promise<boolean> {
  await trx.deleteFrom('sign_in_challenges').where('user_id', '=', userId).execute();
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  const deleted = await trx
    .deleteFrom('second_factors')
    .where('user_id', '=', userId)
    .returning('enabled_at')
    .executeTakeFirst();
  return deleted !== undefined && deleted.enabled_at !== null;
}
