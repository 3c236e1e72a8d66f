import { ApiError, type User, type UserSession } from '@gatehouse/contract';
import { type Page, toPage } from '../../http/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { signInFailed, unknownSession } from '../access/access.errors.ts';
import type { UserCaller } from '../access/access.ts';
import { tokenHash } from '../access/credential.rules.ts';
import { newChallenge, newChallengeToken } from '../second-factor/challenge.rules.ts';
import { codeRequired } from '../second-factor/second-factor.errors.ts';
import { passwordSignInOff } from '../single-sign-on/single-sign-on.errors.ts';
import type { Throttle } from '../throttling/throttle.service.ts';
import { foldEmail, formatUser } from '../users/user.rules.ts';
import type { BetterAuth } from './better-auth.ts';
import { noSuchSession } from './session.errors.ts';
import type { ListedSession, SessionRepository, TakeUser } from './session.repository.ts';
import { type ClientInfo, newSession, newSessionToken } from './session.rules.ts';

export interface SessionDeps {
  readonly repository: SessionRepository;
  readonly auth: () => Promise<BetterAuth>;
  readonly throttle: Throttle;
  readonly showUser: (userId: string) => Promise<User>;
  /** `false`: users cannot sign in with a password. */
  readonly passwordSignIn: boolean;
  readonly clock: Clock;
  /** Limits the entries of failed sign-ins in the audit. Returns `false` above the limit. */
  readonly mayRecordFailure: () => boolean;
  /** Clears the credential cache after a session was ended. */
  readonly forget: () => void;
}

export interface Sessions {
  /**
   * Throws the same 401 `access.sign-in-failed` for an unknown email, a wrong password and a disabled user, 429
   * `access.too-many-failures` after too many of them, and 403 `access.password-sign-in-off` if users cannot sign in with a
   * password. Throws 401 `access.code-required` with a challenge if the user has a second factor.
   */
  signIn(
    email: string,
    password: string,
    client: ClientInfo,
  ): Promise<{ token: string; user: User }>;
  /**
   * Creates a session of a user who has proven the identity in another way.
   *
   * @param take as in `SessionRepository.insert`.
   */
  open(take: TakeUser, client: ClientInfo): Promise<OpenedSession>;
  signOut(caller: UserCaller): Promise<void>;
  show(caller: UserCaller): Promise<{ user: User; expiresAt: string }>;
  list(caller: UserCaller, after: string | null, limit: number): Promise<Page<UserSession>>;
  /** Lists the sessions of a user for an administrator. Throws 404 `access.user-not-found`. */
  listOf(
    caller: UserCaller,
    userId: string,
    after: string | null,
    limit: number,
  ): Promise<Page<UserSession>>;
  /** Ends one of the caller's sessions. Throws 404 `access.session-not-found`. */
  end(caller: UserCaller, sessionId: string): Promise<void>;
  endOthers(caller: UserCaller): Promise<void>;
  /** Ends all sessions of a user. Throws 404 `access.user-not-found`. */
  endAllOf(userId: string): Promise<void>;
}

export type OpenedSession =
  | { readonly kind: 'opened'; readonly userId: string; readonly token: string }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'invalid' };

export function createSessions(deps: SessionDeps): Sessions {
  const { repository, auth, throttle, clock } = deps;

  async function list(
    userId: string,
    currentId: string,
    after: string | null,
    limit: number,
  ): Promise<Page<UserSession>> {
    const now = new Date(clock()).toISOString();
    const rows = await repository.list(userId, after, limit + 1, now);
    return toPage(
      rows,
      limit,
      (row) => row.id,
      (row) => format(row, currentId),
    );
  }

  /** Creates a session with a password. If `challenge` is not null, a code is required and the session has been ended. */
  async function prove(email: string, password: string, client: ClientInfo) {
    const passwordHash = await repository.passwordHash(email);
    const { token, user } = await signIn(await auth(), email, password);
    // The password may have been changed or deleted during the slow check, which ends all sessions, including this one.
    // Times cannot show this, because the clocks of replicas differ.
    const session = { tokenHash: tokenHash(token), userId: user.id, passwordHash };
    const challenge = newChallengeToken();
    const confirmed = await repository.confirm(session, client, newChallenge(challenge, clock()));
    if (confirmed === 'password-changed') throw signInFailed();
    return { token, userId: user.id, challenge: confirmed === 'code-required' ? challenge : null };
  }

  return {
    signIn: async (givenEmail, password, client) => {
      if (!deps.passwordSignIn) throw passwordSignInOff();
      const email = foldEmail(givenEmail);
      const startedAt = new Date(clock()).toISOString();
      const proof = throttle.attempt(email, () => prove(email, password, client));
      const { token, userId, challenge } = await proof.catch(async (error: unknown) => {
        if (error instanceof ApiError && error.code === signInFailed().code)
          if (deps.mayRecordFailure())
            await repository.recordFailure(await repository.userWithEmail(email));
        throw error;
      });
      await repository.endExpired(userId, startedAt);
      if (challenge !== null) throw codeRequired(challenge);
      return { token, user: await deps.showUser(userId) };
    },
    open: async (take, client) => {
      const token = newSessionToken();
      const now = clock();
      const opened = await repository.insert(take, newSession(token, client, now));
      if (opened.kind !== 'opened') return opened;
      await repository.endExpired(opened.userId, new Date(now).toISOString());
      return { ...opened, token };
    },
    signOut: async (caller) => {
      await repository.endOwn(caller.userId, caller.sessionId);
      deps.forget();
    },
    show: async (caller) => {
      const session = await repository.find(caller.sessionId);
      if (session === undefined) throw unknownSession();
      return { user: formatUser(session.user), expiresAt: session.expiresAt };
    },
    list: ({ userId, sessionId }, after, limit) => list(userId, sessionId, after, limit),
    listOf: async ({ sessionId }, userId, after, limit) => {
      const { id } = await deps.showUser(userId);
      return list(id, sessionId, after, limit);
    },
    end: async ({ userId }, sessionId) => {
      if (!(await repository.endOwn(userId, sessionId.toLowerCase()))) throw noSuchSession();
      deps.forget();
    },
    endOthers: async ({ userId, sessionId }) => {
      await repository.endAll(userId, sessionId);
      deps.forget();
    },
    endAllOf: async (userId) => {
      const { id } = await deps.showUser(userId);
      await repository.endAll(id);
      deps.forget();
    },
  };
}

function format(row: ListedSession, currentId: string): UserSession {
  const { id, created_at, last_used_at, expires_at, ip_address, user_agent } = row;
  const lastUsedAt = Math.max(Date.parse(created_at), last_used_at ?? 0);
  return {
    id,
    createdAt: created_at,
    lastUsedAt: new Date(lastUsedAt).toISOString(),
    expiresAt: expires_at,
    address: ip_address || null,
    userAgent: user_agent || null,
    current: id === currentId,
  };
}

/** Takes the same time for an unknown email and a known email, because better-auth hashes the password in both cases. */
async function signIn(
  auth: BetterAuth,
  email: string,
  password: string,
): ReturnType<BetterAuth['signIn']> {
  try {
    return await auth.signIn(email, password);
  } catch (error) {
    if (isRejection(error)) throw signInFailed();
    throw error;
  }
}

/** Reports whether better-auth rejected an invalid email, a wrong password or the session. */
function isRejection(error: unknown): boolean {
  const { name, status } = error as { name?: unknown; status?: unknown };
  return name === 'APIError' && (status === 'UNAUTHORIZED' || status === 'BAD_REQUEST');
}
