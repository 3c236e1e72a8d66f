import type { User } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import { tokenHash } from '../access/credential.rules.ts';
import { type ClientInfo, newSession, newSessionToken } from '../sessions/session.rules.ts';
import type { ProofOf } from './code-proof.service.ts';
import type { CodeSignInRepository } from './code-sign-in.repository.ts';
import { challengeGone, wrongCode } from './second-factor.errors.ts';

export interface CodeSignInDeps {
  readonly repository: CodeSignInRepository;
  readonly proofOf: ProofOf;
  readonly showUser: (userId: string) => Promise<User>;
  readonly clock: Clock;
  /** Records a failed sign-in in the audit, up to a limit. */
  readonly recordFailure: (userId: string) => Promise<void>;
}

export interface CodeSignIns {
  /**
   * Completes a sign-in with a code of the app or a recovery code. Throws 401 `access.challenge-gone`, 401 `access.wrong-code`, and the
   * errors of `ProofOf`.
   */
  signIn(
    challenge: string,
    code: string,
    client: ClientInfo,
  ): Promise<{ token: string; user: User }>;
}

export function createCodeSignIns(deps: CodeSignInDeps): CodeSignIns {
  const { repository, proofOf, clock } = deps;
  return {
    signIn: async (challengeToken, code, client) => {
      const challenge = await repository.find(tokenHash(challengeToken), clock());
      if (challenge === undefined) throw challengeGone();
      const proof = await proofOf(challenge, code);
      const token = newSessionToken();
      const result =
        proof === null
          ? 'wrong-code'
          : await repository.complete(challenge, proof, newSession(token, client, clock()));
      if (result === 'gone') throw challengeGone();
      if (result === 'wrong-code') {
        await deps.recordFailure(challenge.userId);
        throw wrongCode(401);
      }
      return { token, user: await deps.showUser(challenge.userId) };
    },
  };
}
