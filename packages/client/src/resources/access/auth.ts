import type { RequestOptions } from '../../options.ts';
import type {
  CodeSignInRequest,
  CurrentSession,
  NewConsoleSession,
  PasswordChange,
  RedeemedLink,
  Redemption,
  SignInMethods,
  SignInRequest,
  SignInResult,
} from '../../types.ts';
import { Resource } from '../resource.ts';

/** Sign-in of users. */
export class Auth extends Resource {
  /**
   * Signs in a user. Needs no credential. If the user has a second factor, throws an `UnauthorizedError` with a `challenge` for
   * `signInWithCode`.
   *
   * @example
   * const { token } = await new Gatehouse({ url }).auth.signIn({ email, password });
   * const session = new Gatehouse({ url, token });
   */
  signIn(credentials: SignInRequest, options?: RequestOptions): Promise<SignInResult> {
    return this.api.send('POST /auth/sign-in/email', { body: credentials }, options);
  }

  /**
   * Completes the sign-in of a user with a second factor. `code` is the code of the authenticator app, or a recovery code.
   *
   * @example
   * const visitor = new Gatehouse({ url });
   * try {
   *   const { token } = await visitor.auth.signIn({ email, password });
   * } catch (error) {
   *   if (!(error instanceof UnauthorizedError) || error.challenge === undefined) throw error;
   *   const { token } = await visitor.auth.signInWithCode({ challenge: error.challenge, code });
   * }
   */
  signInWithCode(request: CodeSignInRequest, options?: RequestOptions): Promise<SignInResult> {
    return this.api.send('POST /auth/sign-in/code', { body: request }, options);
  }

  /**
   * Ends the session of the client.
   *
   * @example
   * const { token } = await gatehouse.auth.signIn({ email, password });
   * await new Gatehouse({ url, token }).auth.signOut();
   */
  signOut(options?: RequestOptions): Promise<void> {
    return this.api.send('POST /auth/sign-out', {}, options);
  }

  /**
   * Returns the user of the session and its time of expiry.
   *
   * @example
   * const { user, expiresAt } = await gatehouse.auth.session();
   */
  session(options?: RequestOptions): Promise<CurrentSession> {
    return this.api.send('GET /auth/session', {}, options);
  }

  /**
   * Signs in to the console. The session is in a cookie that scripts cannot read, so the client needs no credential. Works only in
   * pages of the service.
   *
   * @example
   * // page = new Gatehouse({ url: location.origin })
   * await page.auth.openConsole({ email, password });
   * const { user } = await page.auth.session();
   */
  openConsole(signIn: NewConsoleSession, options?: RequestOptions): Promise<CurrentSession> {
    return this.api.send('POST /console/session', { body: signIn }, options);
  }

  /**
   * Signs out of the console and removes the cookie.
   *
   * @example
   * await page.auth.openConsole({ email, password });
   * await page.auth.closeConsole();
   */
  closeConsole(options?: RequestOptions): Promise<void> {
    return this.api.send('DELETE /console/session', {}, options);
  }

  /**
   * Lists the methods of signing in. Needs no credential.
   *
   * @example
   * const methods = await gatehouse.auth.methods();
   */
  methods(options?: RequestOptions): Promise<SignInMethods> {
    return this.api.send('GET /auth/methods', {}, options);
  }

  /**
   * Redeems an invitation, a reset link or a setup link. Needs no credential.
   *
   * @example
   * const invitation = await gatehouse.invitations.create(botId, {
   *   email: 'grace@shop.example',
   *   role: 'viewer',
   * });
   * const token = new URLSearchParams(new URL(invitation.url).hash.slice(1)).get('invitation') ?? '';
   * await new Gatehouse({ url }).auth.redeem({
   *   token,
   *   name: 'Grace',
   *   password: 'correct horse battery staple',
   * });
   */
  redeem(redemption: Redemption, options?: RequestOptions): Promise<RedeemedLink> {
    return this.api.send('POST /auth/redeem', { body: redemption }, options);
  }

  /**
   * Changes the password of the user of the session.
   *
   * @example
   * await gatehouse.auth.changePassword({ currentPassword: password, newPassword });
   */
  changePassword(change: PasswordChange, options?: RequestOptions): Promise<void> {
    return this.api.send('POST /auth/change-password', { body: change }, options);
  }
}
