import { createHmac } from 'node:crypto';
import { ApiError } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { tooManyFailures } from '../access/access.errors.ts';
import { foldEmail } from '../users/user.rules.ts';
import type { FailureRepository } from './failure.repository.ts';

/** Maximum number of stored addresses, about 15 MB. */
const MAX_KEYS = 100_000;
const PRUNE_EVERY_KEYS = 64;

export interface ThrottleDeps {
  readonly repository: FailureRepository;
  /** A key that is used for no other purpose. */
  readonly key: Buffer;
  readonly clock: Clock;
}

/**
 * Limits the failed attempts to prove the identity of an account. Addresses without an account are treated in the same
 * way, so the limit does not reveal which addresses have one.
 *
 * @example
 * await throttle.attempt(email, async () => {
 *   if (!(await isPassword(password))) throw signInFailed();
 * });
 */
export interface Throttle {
  /**
   * Calls `prove`. Counts the attempt as failed while `prove` runs, so concurrent attempts cannot exceed the limit, and if it throws an
   * `ApiError`. If it returns, forgets all failures of the account. Another error, such as a failure of the storage, says nothing about
   * the identity and does not count. Throws 429 `access.too-many-failures` if the account is blocked. Rejected attempts do not count.
   */
  attempt<Result>(email: string, prove: () => Promise<Result>): Promise<Result>;
  /** Forgets all failures of an account. */
  succeeded(email: string): Promise<void>;
}

export function createThrottle({ repository, key, clock }: ThrottleDeps): Throttle {
  let newKeys = 0;
  const keyOf = (email: string) =>
    createHmac('sha256', key).update(foldEmail(email)).digest('base64url');

  async function begin(storedKey: string): Promise<void> {
    const now = clock();
    const counted = await repository.count(storedKey, now);
    if (counted.kind === 'blocked') throw tooManyFailures(counted.waitMs);
    if (counted.failures > 1) return;
    newKeys += 1;
    if (newKeys % PRUNE_EVERY_KEYS === 0) await repository.prune(now, MAX_KEYS);
  }

  return {
    attempt: async (email, prove) => {
      const storedKey = keyOf(email);
      await begin(storedKey);
      const result = await prove().catch(async (error: unknown) => {
        if (!(error instanceof ApiError)) await repository.discount(storedKey).catch(() => {});
        throw error;
      });
      await repository.reset(storedKey);
      return result;
    },
    succeeded: (email) => repository.reset(keyOf(email)),
  };
}
