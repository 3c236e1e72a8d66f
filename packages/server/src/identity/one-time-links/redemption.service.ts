import { randomUUIDv7 } from 'node:crypto';
import { invalidRequest, type RedeemRequest, type User } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { UniqueViolation } from '../../lib/threads/index.ts';
import { unknownSession } from '../access/access.errors.ts';
import type { UserCaller } from '../access/access.ts';
import { tokenHash } from '../access/credential.rules.ts';
import { newChallenge, newChallengeToken } from '../second-factor/challenge.rules.ts';
import { codeRequired } from '../second-factor/second-factor.errors.ts';
import type { BetterAuth } from '../sessions/better-auth.ts';
import {
  type ClientInfo,
  type NewSession,
  newSession,
  newSessionToken,
} from '../sessions/session.rules.ts';
import { passwordSignInOff } from '../single-sign-on/single-sign-on.errors.ts';
import type { Throttle } from '../throttling/throttle.service.ts';
import { emailTaken } from '../users/user.errors.ts';
import type { NewAccount } from '../users/user.repository.ts';
import { foldEmail, formatUser } from '../users/user.rules.ts';
import type {
  FoundInvitation,
  InvitationRedemptionRepository,
} from './invitation-redemption.repository.ts';
import { linkGone, linkUnknown, otherUser, signInRequired } from './one-time-link.errors.ts';
import { isGone } from './one-time-link.rules.ts';
import type {
  FoundLink,
  Redeemed,
  RedemptionRepository,
  SessionOrChallenge,
} from './redemption.repository.ts';

export interface RedemptionDeps {
  readonly repository: RedemptionRepository;
  readonly invitations: InvitationRedemptionRepository;
  readonly auth: () => Promise<BetterAuth>;
  readonly throttle: Throttle;
  /** `false`: no link can set a password. */
  readonly passwordSignIn: boolean;
  readonly clock: Clock;
  /** Clears the credential cache after sessions were ended. */
  readonly forget: () => void;
}

export interface Redemptions {
  /**
   * Redeems a one-time link and signs its user in. Throws 401 `auth.link-unknown`, 410 `auth.link-gone`, and 400 if a
   * member is missing. Throws 401 `auth.sign-in-required` or 403 `auth.other-user` if the invited address has an account
   * and the caller is not its user. Throws 403 `access.password-sign-in-off` if the link sets a password and users cannot sign
   * in with a password. Throws 401 `access.code-required` with a challenge after a reset or sign-in link of a user with a second factor
   * took effect.
   */
  redeem(
    request: RedeemRequest,
    caller: UserCaller | null,
    client: ClientInfo,
  ): Promise<{ token: string; user: User }>;
}

export function createRedemptions(deps: RedemptionDeps): Redemptions {
  const { repository, invitations, clock } = deps;

  function requirePasswordSignIn(): void {
    if (!deps.passwordSignIn) throw passwordSignInOff();
  }

  async function hashOf(password: string): Promise<string> {
    const { hashPassword } = await deps.auth();
    return hashPassword(password);
  }

  /**
   * Redeems an invitation. Without a caller, an address that has an account gets 401 `auth.sign-in-required`. Only creating the account
   * reveals that the address had none.
   */
  async function redeemInvitation(
    invitation: FoundInvitation,
    request: RedeemRequest,
    caller: UserCaller | null,
    session: () => NewSession,
  ): Promise<Redeemed> {
    if (!(await invitations.isValid(invitation))) return { kind: 'gone' };
    const invited = await invitations.userWithEmail(invitation.email);
    if (caller !== null) {
      if (caller.userId === invited) {
        const accepted = await invitations.accept(invitation, caller, session());
        if (accepted.kind === 'session-ended') throw unknownSession();
        return accepted;
      }
      if (request.name === undefined && request.password === undefined) throw otherUser();
    }
    requirePasswordSignIn();
    const { name, password } = membersOf(request, ['name', 'password']);
    if (invited !== undefined) throw caller === null ? signInRequired() : otherUser();
    const { email } = invitation;
    const passwordHash = await hashOf(password);
    const account = { id: randomUUIDv7(), email, name, admin: false, passwordHash };
    const redeemed = await invitations.register(invitation, account, session());
    if (redeemed.kind === 'email-taken') throw signInRequired();
    return redeemed;
  }

  /** Hashing a password is slow, so the session is created afterwards and the link is checked again with it. */
  async function redeemFound(
    link: FoundLink,
    request: RedeemRequest,
    opening: () => SessionOrChallenge,
  ): Promise<Redeemed> {
    switch (link.purpose) {
      case 'setup': {
        requirePasswordSignIn();
        const { email, name, password } = membersOf(request, ['email', 'name', 'password']);
        const account: NewAccount = {
          id: randomUUIDv7(),
          email: foldEmail(email),
          name,
          admin: true,
          passwordHash: await hashOf(password),
        };
        return repository.setUp(link.id, account, opening().session);
      }
      case 'reset': {
        requirePasswordSignIn();
        const passwordHash = await hashOf(membersOf(request, ['password']).password);
        return repository.resetPassword(link.id, passwordHash, opening());
      }
      case 'sign-in':
        return repository.signIn(link.id, opening());
    }
  }

  return {
    redeem: async (request, caller, client) => {
      const hash = tokenHash(request.token);
      const link = (await repository.find(hash)) ?? (await invitations.find(hash));
      if (link === undefined) throw linkUnknown();
      if (isGone(link, clock())) throw linkGone();
      if (link.email !== null) checkEmail(request, link.email);
      const token = newSessionToken();
      const session = () => newSession(token, client, clock());
      const challenge = newChallengeToken();
      const opening = () => ({ session: session(), challenge: newChallenge(challenge, clock()) });
      const redeemed = await (link.purpose === 'invitation'
        ? redeemInvitation(link, request, caller, session)
        : redeemFound(link, request, opening)
      ).catch((error: unknown) => {
        if (error instanceof UniqueViolation) throw emailTaken();
        throw error;
      });
      if (redeemed.kind === 'email-taken') throw emailTaken();
      if (redeemed.kind === 'gone') throw linkGone();
      deps.forget();
      if (redeemed.kind === 'code-required') {
        await deps.throttle.succeeded(redeemed.email);
        throw codeRequired(challenge);
      }
      const { user } = redeemed;
      if (link.purpose !== 'invitation') await deps.throttle.succeeded(user.email);
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
