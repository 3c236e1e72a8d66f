import type { NewSecondFactor, RecoveryCodes, SecondFactor } from '@gatehouse/contract';
import { type Clock, MINUTE_MS } from '../../lib/scheduling/index.ts';
import type { Sealer } from '../../platform/secrets/index.ts';
import { unknownSession } from '../access/access.errors.ts';
import type { UserCaller } from '../access/access.ts';
import type { Passwords } from '../passwords/password.service.ts';
import { noSuchUser } from '../users/user.errors.ts';
import type { ProofOf } from './code-proof.service.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-code.rules.ts';
import { notStarted, secondFactorExists, wrongCode } from './second-factor.errors.ts';
import type { SecondFactorRepository } from './second-factor.repository.ts';
import { forApp, newSecret, readAppCode, stepOf } from './totp.rules.ts';

/** Milliseconds in which a new secret must be confirmed. */
const START_MS = 15 * MINUTE_MS;

export interface SecondFactorDeps {
  readonly repository: SecondFactorRepository;
  readonly passwords: Pick<Passwords, 'verify'>;
  readonly proofOf: ProofOf;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly baseUrl: () => string;
  /** Clears the credential cache after sessions were ended. */
  readonly forget: () => void;
}

export interface SecondFactors {
  show(caller: UserCaller): Promise<SecondFactor>;
  /** Creates an unconfirmed secret. Throws 409 `access.second-factor-exists` and the errors of `Passwords.verify`. */
  start(caller: UserCaller, password: string): Promise<NewSecondFactor>;
  /**
   * Enables the second factor and ends the caller's other sessions. Throws 409 `access.second-factor-not-started` or 403
   * `access.wrong-code`.
   */
  confirm(caller: UserCaller, code: string): Promise<RecoveryCodes>;
  /**
   * Deletes the caller's second factor. An enabled second factor needs a code of the app or a recovery code, because somebody who stole
   * a session and the password must not be able to remove it. Throws the errors of `Passwords.verify` and `ProofOf`, and 403
   * `access.wrong-code`.
   */
  disable(caller: UserCaller, password: string, code: string): Promise<void>;
  /** Deletes the second factor of a user. Throws 404 `access.user-not-found`. */
  remove(userId: string): Promise<void>;
}

export function createSecondFactors(deps: SecondFactorDeps): SecondFactors {
  const { repository, passwords, sealer, clock } = deps;
  return {
    show: async ({ userId }) => {
      const factor = await repository.find(userId);
      if (factor === undefined || factor.enabledAt === null)
        return { enabledAt: null, recoveryCodes: 0 };
      const enabledAt = new Date(factor.enabledAt).toISOString();
      return { enabledAt, recoveryCodes: factor.recoveryCodes };
    },
    start: async ({ userId }, password) => {
      const { email } = await passwords.verify(userId, password);
      const secret = newSecret();
      if (!(await repository.start(userId, sealer.seal(secret, userId), clock())))
        throw secondFactorExists();
      return forApp(secret, new URL(deps.baseUrl()).hostname, email);
    },
    confirm: async ({ userId, sessionId }, text) => {
      const now = clock();
      const factor = await repository.find(userId);
      if (factor === undefined || factor.createdAt + START_MS <= now) throw notStarted();
      if (factor.enabledAt !== null) throw secondFactorExists();
      const secret = sealer.open(factor.secret, userId);
      if (secret === null) throw notStarted();
      const code = readAppCode(text);
      const step = code === null ? null : await stepOf(code, { secret, usedStep: 0 }, now);
      if (step === null) throw wrongCode(403);
      const recoveryCodes = newRecoveryCodes();
      const recoveryCodeHashes = recoveryCodes.map(recoveryCodeHash);
      const enabling = { userId, sessionId, secret: factor.secret, step, recoveryCodeHashes };
      const result = await repository.enable(enabling, now);
      if (result === 'session-ended') throw unknownSession();
      if (result === 'exists') throw secondFactorExists();
      if (result === 'replaced') throw notStarted();
      deps.forget();
      return { recoveryCodes };
    },
    disable: async ({ userId }, password, code) => {
      await passwords.verify(userId, password);
      const factor = await repository.find(userId);
      if (factor === undefined || factor.enabledAt === null) return repository.cancel(userId);
      const { secret, usedStep } = factor;
      const proof = await deps.proofOf({ userId, secret, usedStep }, code);
      if (proof === null || !(await repository.disable(userId, secret, proof)))
        throw wrongCode(403);
    },
    remove: async (userId) => {
      if (!(await repository.remove(userId.toLowerCase()))) throw noSuchUser();
    },
  };
}
