import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../../lib/scheduling/index.ts';
import { tokenHash } from '../access/credential.rules.ts';
import { foldEmail } from '../users/user.rules.ts';
import type { LinkUser, OneTimeLinkRepository, UnusableUser } from './one-time-link.repository.ts';
import { newLinkToken, VALID_MS } from './one-time-link.rules.ts';

export interface IssuedLink {
  /** The only copy of the token. Only its hash is stored. */
  readonly token: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

export interface OneTimeLinks {
  /** Issues a link that replaces the earlier links of the user with the same purpose. */
  issue(purpose: 'reset' | 'sign-in', user: LinkUser): Promise<IssuedLink | UnusableUser>;
  /** Issues a link that replaces earlier setup links. Returns `null` if an administrator exists. */
  issueSetup(): Promise<IssuedLink | null>;
  hasAdministrator(): Promise<boolean>;
}

export interface OneTimeLinkDeps {
  readonly repository: OneTimeLinkRepository;
  readonly clock: Clock;
}

export function createOneTimeLinks({ repository, clock }: OneTimeLinkDeps): OneTimeLinks {
  function newLink(purpose: 'setup' | 'reset' | 'sign-in') {
    const token = newLinkToken();
    const now = clock();
    const expiresAt = now + VALID_MS[purpose];
    const row = {
      id: randomUUIDv7(),
      token_hash: tokenHash(token),
      created_at: now,
      expires_at: expiresAt,
    };
    return { row, issued: { token, expiresAt } };
  }

  return {
    issue: async (purpose, user) => {
      const { row, issued } = newLink(purpose);
      const stored =
        'id' in user ? { id: user.id.toLowerCase() } : { email: foldEmail(user.email) };
      const result = await repository.issue(purpose, stored, row);
      return result === 'issued' ? issued : result;
    },
    issueSetup: async () => {
      const { row, issued } = newLink('setup');
      return (await repository.issueSetup(row)) === 'issued' ? issued : null;
    },
    hasAdministrator: repository.hasAdministrator,
  };
}
