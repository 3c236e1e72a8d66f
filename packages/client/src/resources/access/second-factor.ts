import type { RequestOptions } from '../../options.ts';
import type {
  NewSecondFactor,
  PasswordConfirmation,
  RecoveryCodes,
  SecondFactorCode,
  SecondFactorRemoval,
  SecondFactor as State,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** The second factor of the user of the session: an authenticator app, and recovery codes. */
export class SecondFactor extends Resource {
  /**
   * Returns whether sign-ins need a code, and the number of unused recovery codes.
   *
   * @example
   * const { enabledAt, recoveryCodes } = await gatehouse.secondFactor.get();
   */
  get(options?: RequestOptions): Promise<State> {
    return this.api.send('GET /auth/second-factor', {}, options);
  }

  /**
   * Creates a secret for an authenticator app. Call `confirm` with a code of the app to enable it.
   *
   * @example
   * const { uri, secret } = await gatehouse.secondFactor.start({ password });
   */
  start(confirmation: PasswordConfirmation, options?: RequestOptions): Promise<NewSecondFactor> {
    return this.api.send('POST /auth/second-factor', { body: confirmation }, options);
  }

  /**
   * Enables the second factor with a first code, ends the other sessions of the user and returns the recovery codes.
   *
   * @example
   * const { secret } = await gatehouse.secondFactor.start({ password });
   * const { recoveryCodes } = await gatehouse.secondFactor.confirm({ code: appCode(secret) });
   */
  confirm(code: SecondFactorCode, options?: RequestOptions): Promise<RecoveryCodes> {
    return this.api.send('POST /auth/second-factor/confirm', { body: code }, options);
  }

  /**
   * Disables the second factor, with a code of the app or a recovery code.
   *
   * @example
   * await gatehouse.secondFactor.disable({ password, code: appCode(secret) });
   */
  disable(removal: SecondFactorRemoval, options?: RequestOptions): Promise<void> {
    return this.api.send('POST /auth/second-factor/disable', { body: removal }, options);
  }
}
