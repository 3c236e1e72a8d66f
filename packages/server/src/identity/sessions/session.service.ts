import type { User } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { signInFailed, unknownSession } from '../access/access.errors.ts';
import type { UserCaller } from '../access/access.ts';
import { tokenHash } from '../access/credential.rules.ts';
import { foldEmail, formatUser } from '../users/user.rules.ts';
import type { BetterAuth } from './better-auth.ts';
import type { SessionRepository } from './session.repository.ts';

export interface SessionDeps {
  readonly repository: SessionRepository;
  readonly auth: () => Promise<BetterAuth>;
  readonly showUser: (userId: string) => Promise<User>;
  readonly clock: Clock;
  /** Called after a session was ended. */
  readonly forget: () => void;
}

export interface Sessions {
  /** Throws 401 `access.sign-in-failed`, the same for a wrong e-mail, a wrong password and a disabled user. */
  signIn(email: string, password: string): Promise<{ token: string; user: User }>;
  signOut(caller: UserCaller): Promise<void>;
  show(caller: UserCaller): Promise<{ user: User; expiresAt: string }>;
}

export function createSessions(deps: SessionDeps): Sessions {
  const { repository, auth, clock } = deps;
  return {
    signIn: async (email, password) => {
      const beganAt = new Date(clock()).toISOString();
      const { token, user } = await signIn(await auth(), foldEmail(email), password);
      // Checking a password takes long enough for it to be changed meanwhile, and a change of
      // password ends all sessions: this one, too.
      if (await repository.passwordChangedAfter(user.id, beganAt)) {
        await repository.endByHash(tokenHash(token));
        throw signInFailed();
      }
      await repository.endExpired(user.id, beganAt);
      return { token, user: await deps.showUser(user.id) };
    },
    signOut: async (caller) => {
      await repository.end(caller.sessionId);
      deps.forget();
    },
    show: async (caller) => {
      const session = await repository.find(caller.sessionId);
      if (session === undefined) throw unknownSession();
      return { user: formatUser(session.user), expiresAt: session.expiresAt };
    },
  };
}

/** better-auth hashes the password of an unknown e-mail as well, so that the answer takes as long. */
async function signIn(
  auth: BetterAuth,
  email: string,
  password: string,
): ReturnType<BetterAuth['signIn']> {
  try {
    return await auth.signIn(email, password);
  } catch (error) {
    if (isRefusal(error)) throw signInFailed();
    throw error;
  }
}

/** better-auth's `APIError` for an address without the form of one, a wrong pair, or a refused session. */
function isRefusal(error: unknown): boolean {
  const { name, status } = error as { name?: unknown; status?: unknown };
  return name === 'APIError' && (status === 'UNAUTHORIZED' || status === 'BAD_REQUEST');
}
