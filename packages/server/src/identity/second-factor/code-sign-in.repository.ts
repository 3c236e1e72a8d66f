import { recordAction } from '../../platform/audit/index.ts';
import { type Database, inTransaction } from '../../storage/ports/index.ts';
import { insertSession } from '../sessions/session.repository.ts';
import type { NewSession } from '../sessions/session.rules.ts';
import { passwordDigest } from './challenge.rules.ts';
import { codeBlockMs, LONGEST_CODE_BLOCK_MS } from './code-throttle.rules.ts';

/** A challenge that can still be completed, and the second factor of its user. */
export interface FoundChallenge {
  readonly tokenHash: string;
  readonly userId: string;
  /** Encrypted. */
  readonly secret: string;
  readonly usedStep: number;
}

export type Attempt =
  | { readonly kind: 'counted' }
  | { readonly kind: 'blocked'; readonly waitMs: number };

export type Proof =
  | { readonly kind: 'app'; readonly step: number }
  | { readonly kind: 'recovery'; readonly codeHash: string };

export interface CodeSignInRepository {
  /**
   * Returns `undefined` if the challenge is unknown, used or expired, its user is disabled or has no second factor, or the password
   * has changed since.
   *
   * @param now Unix milliseconds.
   */
  find(tokenHash: string, now: number): Promise<FoundChallenge | undefined>;
  /**
   * Counts a wrong code, unless codes are blocked. Concurrent attempts are counted one after the other, on all replicas.
   *
   * @param now Unix milliseconds.
   */
  countAttempt(userId: string, now: number): Promise<Attempt>;
  /** Consumes the challenge and the code, and creates the session, in one transaction. */
  complete(
    challenge: FoundChallenge,
    proof: Proof,
    session: NewSession,
  ): Promise<'signed-in' | 'gone' | 'wrong-code'>;
}

export function createCodeSignInRepository(db: Database): CodeSignInRepository {
  return {
    find: (tokenHash, now) => find(db, tokenHash, now),
    countAttempt: (userId, now) =>
      inTransaction(db, async (trx): Promise<Attempt> => {
        const factor = await trx
          .selectFrom('second_factors')
          .select(['failures', 'blocked_until'])
          .where('user_id', '=', userId)
          .executeTakeFirst();
        const waitMs = (factor?.blocked_until ?? 0) - now;
        // A block longer than the maximum was created with a wrong clock.
        if (waitMs > 0 && waitMs <= LONGEST_CODE_BLOCK_MS) return { kind: 'blocked', waitMs };
        const failures = (factor?.failures ?? 0) + 1;
        const blockMs = codeBlockMs(failures);
        await trx
          .updateTable('second_factors')
          .set({ failures, blocked_until: blockMs === 0 ? 0 : now + blockMs })
          .where('user_id', '=', userId)
          .execute();
        return { kind: 'counted' };
      }),
    complete: ({ tokenHash, userId, secret }, proof, session) =>
      inTransaction(db, async (trx) => {
        const current = await find(trx, tokenHash, session.now);
        if (current?.secret !== secret) return 'gone';
        if (proof.kind === 'recovery' && !(await useRecoveryCode(trx, userId, proof.codeHash)))
          return 'wrong-code';
        const usedStep = proof.kind === 'app' ? proof.step : current.usedStep;
        if (proof.kind === 'app' && usedStep <= current.usedStep) return 'wrong-code';
        await trx
          .updateTable('second_factors')
          .set({ last_step: usedStep, failures: 0, blocked_until: 0 })
          .where('user_id', '=', userId)
          .execute();
        await trx.deleteFrom('sign_in_challenges').where('token_hash', '=', tokenHash).execute();
        await insertSession(trx, userId, session);
        return 'signed-in';
      }),
  };
}

async function find(
  db: Database,
  tokenHash: string,
  now: number,
): Promise<FoundChallenge | undefined> {
  const row = await db
    .selectFrom('sign_in_challenges as challenge')
    .innerJoin('users', 'users.id', 'challenge.user_id')
    .innerJoin('second_factors as factor', 'factor.user_id', 'challenge.user_id')
    .leftJoin('accounts', (join) =>
      join.onRef('accounts.user_id', '=', 'users.id').on('accounts.provider_id', '=', 'credential'),
    )
    .select(['users.id', 'factor.secret', 'factor.last_step'])
    .select(['challenge.password_digest', 'accounts.password'])
    .where('challenge.token_hash', '=', tokenHash)
    .where('challenge.expires_at', '>', now)
    .where('users.disabled_at', 'is', null)
    .where('factor.enabled_at', 'is not', null)
    .executeTakeFirst();
  if (row === undefined || row.password_digest !== passwordDigest(row.password)) return undefined;
  return { tokenHash, userId: row.id, secret: row.secret, usedStep: row.last_step };
}

/** Deletes a recovery code and records its use. Returns `false` if the user has no such code. */
export async function useRecoveryCode(
  trx: Database,
  userId: string,
  codeHash: string,
): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', codeHash)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return false;
  await recordAction(trx, { action: 'recovery-code.used', spaceId: null, resourceId: userId });
  return true;
}
