import { randomUUIDv7 } from 'node:crypto';
import { invalidRequest, type RedeemRequest, type User } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { UniqueViolation } from '../../lib/threads/index.ts';
import { tokenHash } from '../access/credential.rules.ts';
import type { BetterAuth } from '../sessions/better-auth.ts';
import type { NewSession } from '../sessions/session.repository.ts';
import { type ClientInfo, SESSION_SECONDS } from '../sessions/session.rules.ts';
import type { Throttle } from '../throttling/throttle.service.ts';
import { emailTaken } from '../users/user.errors.ts';
import type { NewAccount } from '../users/user.repository.ts';
import { foldEmail, formatUser } from '../users/user.rules.ts';
import { linkGone, linkUnknown } from './one-time-link.errors.ts';
import { isGone, newSessionToken } from './one-time-link.rules.ts';
import type { FoundLink, Redeemed, RedemptionRepository } from './redemption.repository.ts';

export interface RedemptionDeps {
  readonly repository: RedemptionRepository;
  readonly auth: () => Promise<BetterAuth>;
  readonly throttle: Throttle;
  readonly clock: Clock;
  /** Clears the credential cache after sessions were ended. */
  readonly forget: () => void;
}

export interface Redemptions {
  /**
   * Redeems a one-time link and signs its user in. Throws 401 `auth.link-unknown`, 410 `auth.link-gone`, and 400 if a
   * member is missing.
   */
  redeem(request: RedeemRequest, client: ClientInfo): Promise<{ token: string; user: User }>;
}

export function createRedemptions(deps: RedemptionDeps): Redemptions {
  const { repository, clock } = deps;

  function newSession(token: string, client: ClientInfo): NewSession {
    const now = clock();
    const expiresAt = now + SESSION_SECONDS * 1000;
    return { id: randomUUIDv7(), tokenHash: tokenHash(token), now, expiresAt, ...client };
  }

  async function hashOf(password: string): Promise<string> {
    const { hashPassword } = await deps.auth();
    return hashPassword(password);
  }

  async function newAccount(request: RedeemRequest, admin: boolean): Promise<NewAccount> {
    const { email, name, password } = membersOf(request, ['email', 'name', 'password']);
    const passwordHash = await hashOf(password);
    return { id: randomUUIDv7(), email: foldEmail(email), name, admin, passwordHash };
  }

  /** Hashing a password is slow, so the session is created afterwards and the link is checked again with it. */
  async function redeemFound(
    link: FoundLink,
    request: RedeemRequest,
    session: () => NewSession,
  ): Promise<Redeemed> {
    switch (link.purpose) {
      case 'setup': {
        const account = await newAccount(request, true);
        return repository.setUp(link.id, account, session());
      }
      case 'reset': {
        const passwordHash = await hashOf(membersOf(request, ['password']).password);
        return repository.resetPassword(link.id, passwordHash, session());
      }
      case 'sign-in':
        return repository.signIn(link.id, session());
    }
  }

  return {
    redeem: async (request, client) => {
      const link = await repository.find(tokenHash(request.token));
      if (link === undefined) throw linkUnknown();
      if (isGone(link, clock())) throw linkGone();
      if (link.email !== null) checkEmail(request, link.email);
      const token = newSessionToken();
      const redeemed = await redeemFound(link, request, () => newSession(token, client)).catch(
        (error: unknown) => {
          if (error instanceof UniqueViolation) throw emailTaken();
          throw error;
        },
      );
      if (redeemed.kind === 'email-taken') throw emailTaken();
      if (redeemed.kind === 'gone') throw linkGone();
      deps.forget();
      const { user } = redeemed;
      await deps.throttle.succeeded(user.email);
      return { token, user: formatUser(user) };
    },
  };
}

type Member = 'email' | 'name' | 'password';

/** Returns the members that a link needs. Throws 400 with all missing members. */
function membersOf<M extends Member>(
  request: RedeemRequest,
  needed: readonly M[],
): Record<M, string> {
  const missing = needed.filter((member) => request[member] === undefined);
  if (missing.length > 0)
    throw invalidRequest(
      'access',
      missing.map((member) => `${member}: is required for this link`),
    );
  return Object.fromEntries(needed.map((member) => [member, request[member]])) as Record<M, string>;
}

function checkEmail({ email }: RedeemRequest, expected: string): void {
  if (email !== undefined && foldEmail(email) !== expected)
    throw invalidRequest('access', ['email: must be the address of this link, or omitted']);
}
