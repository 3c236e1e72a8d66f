import { recordAction } from '../../platform/audit/index.ts';
import type { Database } from '../../storage/ports/index.ts';
import { type NewChallenge, passwordDigest } from './challenge.rules.ts';

/**
 * Creates a challenge if sign-ins of the user need a code, in the transaction that would otherwise create the session. Returns `false`
 * if they do not.
 */
export async function challengeIfNeeded(
  trx: Database,
  userId: string,
  { tokenHash, now, expiresAt }: NewChallenge,
): Promise<boolean> {
  const factor = trx
    .selectFrom('second_factors')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('enabled_at', 'is not', null);
  if ((await factor.executeTakeFirst()) === undefined) return false;
  const account = await trx
    .selectFrom('accounts')
    .select('password')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirst();
  await trx
    .deleteFrom('sign_in_challenges')
    .where('user_id', '=', userId)
    .where('expires_at', '<=', now)
    .execute();
  await trx
    .insertInto('sign_in_challenges')
    .values({
      token_hash: tokenHash,
      user_id: userId,
      password_digest: passwordDigest(account?.password ?? null),
      expires_at: expiresAt,
    })
    .execute();
  await recordAction(trx, { action: 'session.challenged', spaceId: null, resourceId: userId });
  return true;
}
