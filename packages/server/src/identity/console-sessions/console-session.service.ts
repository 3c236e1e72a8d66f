import type { NewConsoleSession, User } from '@gatehouse/contract';
import { unknownSession } from '../access/access.errors.ts';
import { consoleToken, requireTls, setConsoleCookie } from '../access/console-cookie.rules.ts';
import { tokenHash } from '../access/credential.rules.ts';
import type { Credentials } from '../access/credential.service.ts';
import type { CodeSignIns } from '../second-factor/code-sign-in.service.ts';
import { type ClientInfo, newSessionToken, SESSION_SECONDS } from '../sessions/session.rules.ts';
import type { Sessions } from '../sessions/session.service.ts';
import type { ConsoleSessionRepository } from './console-session.repository.ts';

export interface ConsoleSessionDeps {
  readonly repository: ConsoleSessionRepository;
  readonly sessions: Pick<Sessions, 'signIn' | 'show'>;
  readonly codeSignIns: CodeSignIns;
  readonly credentials: Pick<Credentials, 'session' | 'forget'>;
  /** Returns the URL that clients use, without a trailing slash. */
  readonly baseUrl: () => string;
}

/** The credential with which a console session begins. */
export type ConsoleSignIn =
  | { readonly email: string; readonly password: string }
  | { readonly challenge: string; readonly code: string }
  /** Token of a session that was opened without a password. */
  | { readonly token: string };

export interface OpenedConsoleSession {
  /** A `Set-Cookie` header. */
  readonly cookie: string;
  readonly session: { readonly user: User; readonly expiresAt: string };
}

/** Sessions of the console. Their token is in a cookie that scripts cannot read. */
export interface ConsoleSessions {
  /**
   * Throws 401 for an unknown token, 403 `access.tls-required`, and the errors of `Sessions.signIn` and `CodeSignIns.signIn`.
   */
  open(signIn: ConsoleSignIn, client: ClientInfo): Promise<OpenedConsoleSession>;
  /** Returns a `Set-Cookie` header that removes the cookie. */
  removal(): string;
}

/** Token of a session in an `Authorization` header. */
const SESSION_TOKEN = /^[A-Za-z0-9]+$/;

export function createConsoleSessions(deps: ConsoleSessionDeps): ConsoleSessions {
  const { repository, sessions, credentials, baseUrl } = deps;

  async function tokenOf(signIn: ConsoleSignIn, client: ClientInfo): Promise<string> {
    if ('token' in signIn) return signIn.token;
    const { token } = await ('code' in signIn
      ? deps.codeSignIns.signIn(signIn.challenge, signIn.code, client)
      : sessions.signIn(signIn.email, signIn.password, client));
    return token;
  }

  /** Moves the session of a token into a cookie. The token becomes invalid. */
  async function move(
    token: string,
    cookieValue: string,
  ): Promise<OpenedConsoleSession['session']> {
    const caller = SESSION_TOKEN.test(token) ? await credentials.session(token) : null;
    if (caller === null) throw unknownSession();
    const [from, to] = [tokenHash(token), tokenHash(consoleToken(cookieValue))];
    const isMoved = await repository.replaceToken({ id: caller.sessionId, from, to });
    credentials.forget();
    if (!isMoved) throw unknownSession();
    return sessions.show(caller);
  }

  return {
    open: async (signIn, client) => {
      requireTls(baseUrl());
      const value = newSessionToken();
      const session = await move(await tokenOf(signIn, client), value);
      return { cookie: setConsoleCookie(value, baseUrl(), SESSION_SECONDS), session };
    },
    removal: () => setConsoleCookie('', baseUrl(), 0),
  };
}

/** Returns the sign-in of a request body, or null unless the body has exactly the members of one way to sign in. */
export function readSignIn(body: NewConsoleSession): ConsoleSignIn | null {
  const { email, password, token, challenge, code } = body;
  switch (Object.keys(body).toSorted().join(' ')) {
    case 'email password':
      return email === undefined || password === undefined ? null : { email, password };
    case 'token':
      return token === undefined ? null : { token };
    case 'challenge code':
      return challenge === undefined || code === undefined ? null : { challenge, code };
    default:
      return null;
  }
}
