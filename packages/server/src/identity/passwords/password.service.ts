import type { Clock } from '../../lib/scheduling/index.ts';
import { unknownSession } from '../access/access.errors.ts';
import type { UserCaller } from '../access/access.ts';
import type { BetterAuth } from '../sessions/better-auth.ts';
import { passwordSignInOff } from '../single-sign-on/single-sign-on.errors.ts';
import type { Throttle } from '../throttling/throttle.service.ts';
import { noPassword, wrongPassword } from '../users/user.errors.ts';
import type { PasswordRepository } from './password.repository.ts';

export interface PasswordDeps {
  readonly repository: PasswordRepository;
  readonly auth: () => Promise<BetterAuth>;
  readonly throttle: Throttle;
  readonly passwordSignIn: boolean;
  readonly clock: Clock;
  /** Clears the credential cache after sessions were ended. */
  readonly forget: () => void;
}

export interface Passwords {
  /**
   * Changes the caller's password and ends the caller's other sessions. A wrong current password counts as a failed
   * sign-in. Throws 403 `access.wrong-password`, 403 `access.password-sign-in-off`, 409 `access.no-password` or 429
   * `access.too-many-failures`.
   */
  change(caller: UserCaller, currentPassword: string, newPassword: string): Promise<void>;
  /** Checks the password of a user who has a session. Throws the same errors as `change`. */
  verify(userId: string, password: string): Promise<{ readonly email: string }>;
}

export function createPasswords(deps: PasswordDeps): Passwords {
  const { repository, throttle } = deps;

  /** Counts as a failed sign-in until `throttle.succeeded` is called. */
  async function check(
    userId: string,
    password: string,
  ): Promise<{ readonly email: string; readonly hash: string }> {
    if (!deps.passwordSignIn) throw passwordSignInOff();
    const stored = await repository.find(userId);
    if (stored === undefined) throw unknownSession();
    const { email, password: hash } = stored;
    if (hash === null) throw noPassword();
    await throttle.begin(email);
    const { verifyPassword } = await deps.auth();
    if (!(await verifyPassword(hash, password))) throw wrongPassword();
    return { email, hash };
  }

  return {
    change: async ({ userId, sessionId }, currentPassword, newPassword) => {
      const { email, hash: oldHash } = await check(userId, currentPassword);
      const { hashPassword } = await deps.auth();
      const newHash = await hashPassword(newPassword);
      const change = { userId, sessionId, oldHash, newHash };
      // After a concurrent change, the current password is wrong.
      if (!(await repository.replace(change, deps.clock()))) throw wrongPassword();
      deps.forget();
      await throttle.succeeded(email);
    },
    verify: async (userId, password) => {
      const { email } = await check(userId, password);
      await throttle.succeeded(email);
      return { email };
    },
  };
}
