import { ApiError, type User } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import { readCookie, setCookie } from '../access/cookies.rules.ts';
import { tokenHash } from '../access/credential.rules.ts';
import type { ClientInfo } from '../sessions/session.rules.ts';
import type { Sessions } from '../sessions/session.service.ts';
import { type AttemptRepository, takeCode } from './attempt.repository.ts';
import {
  ATTEMPT_COOKIE,
  ATTEMPT_SECONDS,
  type Attempt,
  CODE_SECONDS,
  createAttempt,
  openAttempt,
  randomText,
  sealAttempt,
} from './attempt.rules.ts';
import type { GrantChanges } from './grants.repository.ts';
import type { OpenIdProvider } from './open-id-provider.ts';
import type { PersonRepository, SignedInPerson } from './person.repository.ts';
import { type Claims, type Person, type SignInPolicy, toPerson } from './person.rules.ts';
import {
  addressLinked,
  notAllowed,
  unknownAttempt,
  unknownCode,
  userDisabled,
} from './single-sign-on.errors.ts';

const CALLBACK_PATH = '/auth/sso/callback';

export interface SingleSignOnServiceDeps {
  readonly issuer: string;
  readonly policy: SignInPolicy;
  readonly provider: OpenIdProvider;
  readonly people: PersonRepository;
  readonly attempts: AttemptRepository;
  readonly sealer: Sealer;
  readonly clock: Clock;
  /** Returns the URL that clients use, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly createSession: Sessions['open'];
  readonly showUser: (userId: string) => Promise<User>;
  /** Clears the credential cache after rights or sessions changed. */
  readonly forget: () => void;
  readonly warn: (details: Readonly<Record<string, unknown>>, message: string) => void;
}

interface Redirect {
  readonly location: string;
  /** A `Set-Cookie` header. */
  readonly cookie: string;
}

/** Sign-in at an OpenID provider. Every method throws an `ApiError` with the reason of a rejection. */
export interface SingleSignOn {
  /** @param returnTo a local path without a fragment. */
  start(returnTo: string): Promise<Redirect>;
  /**
   * @param parameters query parameters of the callback.
   * @param cookies `Cookie` header of the request.
   */
  finish(parameters: URLSearchParams, cookies: string | undefined): Promise<Redirect>;
  /** Exchanges the code from the callback for a session. */
  redeem(
    code: string,
    cookies: string | undefined,
    client: ClientInfo,
  ): Promise<{ token: string; user: User }>;
  /** Returns the URL at which the browser signs out of the provider, or `returnTo` if the provider has no such URL. */
  signOutUrl(returnTo: string): Promise<string>;
}

export function createSingleSignOnService(deps: SingleSignOnServiceDeps): SingleSignOn {
  const { attempts, baseUrl, clock, people, provider, sealer } = deps;
  const redirectUri = () => `${baseUrl()}${CALLBACK_PATH}`;
  const cookieOf = () => ({ name: ATTEMPT_COOKIE, baseUrl: baseUrl() });
  const newCookie = (value: string, seconds: number) =>
    // `Lax` is required, because the redirect from the provider is a cross-site navigation.
    setCookie(value, cookieOf(), { seconds, sameSite: 'Lax' });

  /** Returns the attempt that a callback completes. An attempt can be completed once, and only in the browser that started it. */
  async function claimAttempt(state: string, cookies: string | undefined): Promise<Attempt> {
    const now = clock();
    const attempt = openAttempt(sealer, readCookie(cookies, cookieOf()), now);
    // Comparing hashes takes the same time for every state.
    if (attempt === null || tokenHash(state) !== tokenHash(attempt.state)) throw unknownAttempt();
    if (!(await attempts.claimState(tokenHash(state), attempt.expiresAt, now)))
      throw unknownAttempt();
    return attempt;
  }

  /** Returns the person of verified claims. A person who may not sign in loses the rights of groups. */
  async function admit(claims: Claims): Promise<Person> {
    try {
      return toPerson(claims, deps.policy);
    } catch (error) {
      if (error instanceof ApiError && error.code === notAllowed('groups').code) {
        const withdrawn = await people.withdrawGrants(deps.issuer, String(claims.subject), clock());
        deps.forget();
        if (withdrawn !== null) reportGrants(withdrawn, deps.warn);
      }
      throw error;
    }
  }

  return {
    start: async (returnTo) => {
      const attempt = createAttempt(returnTo, clock());
      const url = await provider.authorizationUrl(attempt, redirectUri());
      const cookie = newCookie(sealAttempt(sealer, attempt), ATTEMPT_SECONDS);
      return { location: url.href, cookie };
    },
    finish: async (parameters, cookies) => {
      const attempt = await claimAttempt(parameters.get('state') ?? '', cookies);
      const claims = await provider.claims(parameters, attempt, redirectUri());
      const person = await admit(claims);
      const [code, binding] = [randomText(), randomText()];
      const now = clock();
      const newCode = { hash: codeHash(code, binding), expiresAt: now + CODE_SECONDS * 1000 };
      const result = await people.signIn(deps.issuer, person, newCode, now);
      deps.forget();
      rejectUnlessSignedIn(result);
      reportChanges(result, deps.warn);
      return {
        location: `${attempt.returnTo}#sso-code=${code}`,
        cookie: newCookie(binding, CODE_SECONDS),
      };
    },
    redeem: async (code, cookies, client) => {
      const binding = readCookie(cookies, cookieOf());
      const hash = codeHash(code, binding);
      const now = clock();
      const opened = await deps.createSession((trx) => takeCode(trx, hash, now), client);
      if (opened.kind === 'invalid') throw unknownCode();
      if (opened.kind === 'disabled') throw userDisabled();
      return { token: opened.token, user: await deps.showUser(opened.userId) };
    },
    signOutUrl: async (returnTo) => {
      const url = await provider.signOutUrl(`${baseUrl()}${returnTo}`);
      return url?.href ?? returnTo;
    },
  };
}

/** The browser that completed the sign-in has both halves. Somebody who only saw the URL has no use for the code. */
function codeHash(code: string, binding: string): string {
  return tokenHash(`${binding}.${code}`);
}

function rejectUnlessSignedIn({ kind }: SignedInPerson): void {
  if (kind === 'disabled') throw userDisabled();
  if (kind === 'address-linked') throw addressLinked();
}

function reportChanges(result: SignedInPerson, warn: SingleSignOnServiceDeps['warn']): void {
  if (result.kind !== 'signed-in') return;
  if (result.change === 'linked')
    warn(
      { userId: result.userId },
      'single sign-on linked an existing user; the password and sessions are deleted',
    );
  reportGrants(result, warn);
}

function reportGrants(
  { userId, grants }: { readonly userId: string; readonly grants: GrantChanges },
  warn: SingleSignOnServiceDeps['warn'],
): void {
  if (grants.admin !== null)
    warn({ userId }, `single sign-on ${grants.admin} the rights of an administrator`);
  for (const botId of grants.withoutOwner)
    warn({ userId, botId }, 'single sign-on removed the last owner of a bot; assign a new owner');
}
