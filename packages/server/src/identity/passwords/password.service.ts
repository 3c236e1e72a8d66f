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

  /** Calls `work` if the password is correct. A wrong password counts as a failed sign-in. */
  async function prove(
    userId: string,
    password: string,
    work: (auth: BetterAuth, hash: string) => Promise<void>,
  ): Promise<{ readonly email: string }> {
    if (!deps.passwordSignIn) throw passwordSignInOff();
    const stored = await repository.find(userId);
    if (stored === undefined) throw unknownSession();
    const { email, password: hash } = stored;
    if (hash === null) throw noPassword();
    await throttle.attempt(email, async () => {
      const auth = await deps.auth();
      if (!(await auth.verifyPassword(hash, password))) throw wrongPassword();
      await work(auth, hash);
    });
    return { email };
  }

  return {
    change: async ({ userId, sessionId }, currentPassword, newPassword) => {
      await prove(userId, currentPassword, async ({ hashPassword }, oldHash) => {
        const newHash = await hashPassword(newPassword);
        const change = { userId, sessionId, oldHash, newHash };
        // After a concurrent change, the current password is wrong.
        if (!(await repository.replace(change, deps.clock()))) throw wrongPassword();
        deps.forget();
      });
    },
    verify: (userId, password) => prove(userId, password, async () => {}),
  };
}
