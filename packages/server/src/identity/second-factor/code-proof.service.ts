import type { Clock } from '../../lib/scheduling/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import { tooManyFailures } from '../access/access.errors.ts';
import type { CodeSignInRepository, Proof } from './code-sign-in.repository.ts';
import { recoveryCodeHash } from './recovery-code.rules.ts';
import { readAppCode, stepOf } from './totp.rules.ts';

export interface EnabledFactor {
  readonly userId: string;
  /** Encrypted. */
  readonly secret: string;
  /** Time step of the last accepted code. */
  readonly usedStep: number;
}

/**
 * Returns the proof that a code contains, or `null` if the code is wrong. A recovery code is checked when the proof is consumed.
 * Throws 429 `access.too-many-failures` for codes of the app after too many wrong codes. Recovery codes cannot be guessed, so they
 * are never blocked: otherwise somebody who knows the password could lock the user out.
 */
export type ProofOf = (factor: EnabledFactor, text: string) => Promise<Proof | null>;

export interface CodeProofDeps {
  readonly repository: Pick<CodeSignInRepository, 'countAttempt'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** Creates the check of codes. An attempt is counted as wrong before the check, so concurrent attempts cannot exceed the limit. */
export function createCodeProof({ repository, sealer, clock }: CodeProofDeps): ProofOf {
  return async ({ userId, secret: sealed, usedStep }, text) => {
    const code = readAppCode(text);
    if (code === null) return { kind: 'recovery', codeHash: recoveryCodeHash(text) };
    const now = clock();
    const attempt = await repository.countAttempt(userId, now);
    if (attempt.kind === 'blocked') throw tooManyFailures(attempt.waitMs);
    // Null after the secret of the installation was lost. Recovery codes still work.
    const secret = sealer.open(sealed, userId);
    if (secret === null) return null;
    const step = await stepOf(code, { secret, usedStep }, now);
    return step === null ? null : { kind: 'app', step };
  };
}
