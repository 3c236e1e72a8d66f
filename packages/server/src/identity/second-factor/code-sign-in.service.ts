import type { User } from '@gatehouse/contract';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import { tooManyFailures } from '../access/access.errors.ts';
import { tokenHash } from '../access/credential.rules.ts';
import { type ClientInfo, newSession, newSessionToken } from '../sessions/session.rules.ts';
import type { CodeSignInRepository, FoundChallenge, Proof } from './code-sign-in.repository.ts';
import { recoveryCodeHash } from './recovery-code.rules.ts';
import { challengeGone, wrongCode } from './second-factor.errors.ts';
import { readAppCode, stepOf } from './totp.rules.ts';

export interface CodeSignInDeps {
  readonly repository: CodeSignInRepository;
  readonly sealer: Sealer;
  readonly showUser: (userId: string) => Promise<User>;
  readonly clock: Clock;
  /** Records a failed sign-in in the audit, up to a limit. */
  readonly recordFailure: (userId: string) => Promise<void>;
}

export interface CodeSignIns {
  /**
   * Completes a sign-in with a code of the app or a recovery code. Throws 401 `access.challenge-gone`, 401 `access.wrong-code`, and 429
   * `access.too-many-failures` for codes of the app after too many wrong codes. Recovery codes cannot be guessed, so they are never
   * blocked: otherwise somebody who knows the password could lock the user out.
   */
  signIn(
    challenge: string,
    code: string,
    client: ClientInfo,
  ): Promise<{ token: string; user: User }>;
}

export function createCodeSignIns(deps: CodeSignInDeps): CodeSignIns {
  const { repository, sealer, clock } = deps;

  /** Returns `null` if the code is wrong. Counts an attempt as wrong before the check, so concurrent attempts cannot exceed the limit. */
  async function proofOf(challenge: FoundChallenge, text: string): Promise<Proof | null> {
    const code = readAppCode(text);
    if (code === null) return { kind: 'recovery', codeHash: recoveryCodeHash(text) };
    const now = clock();
    const attempt = await repository.countAttempt(challenge.userId, now);
    if (attempt.kind === 'blocked') throw tooManyFailures(attempt.waitMs);
    // Null after the secret of the installation was lost. Recovery codes still work.
    const secret = sealer.open(challenge.secret, challenge.userId);
    if (secret === null) return null;
    const step = await stepOf(code, { secret, usedStep: challenge.usedStep }, now);
    return step === null ? null : { kind: 'app', step };
  }

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
