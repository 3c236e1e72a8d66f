import type { QueryOf } from '../../api.ts';
import type { RequestOptions } from '../../options.ts';
import type { SingleSignOnCode, SingleSignOnResult } from '../../types.ts';
import { Resource } from '../resource.ts';

/** Single sign-on with an OpenID provider. A browser opens the URLs. */
export class SingleSignOn extends Resource {
  /**
   * Returns the URL that starts a sign-in at the provider.
   *
   * @example
   * const start = gatehouse.singleSignOn.startUrl({ returnTo: '/console' });
   */
  startUrl(query?: QueryOf<'GET /auth/sso/start'>): string {
    return this.api.url('GET /auth/sso/start', { query });
  }

  /**
   * Returns the URL to register at the provider. The provider redirects the browser there.
   *
   * @example
   * const callback = gatehouse.singleSignOn.callbackUrl();
   */
  callbackUrl(): string {
    return this.api.url('GET /auth/sso/callback');
  }

  /**
   * Exchanges the code of a finished sign-in for a session.
   *
   * @example
   * try {
   *   const { token } = await gatehouse.singleSignOn.redeem({ code });
   * } catch (error) {
   *   if (!(error instanceof ApiError)) throw error;
   *   console.log(error.code);
   * }
   */
  redeem(code: SingleSignOnCode, options?: RequestOptions): Promise<SingleSignOnResult> {
    return this.api.send('POST /auth/sso/token', { body: code }, options);
  }

  /**
   * Returns the URL that ends the session at the provider.
   *
   * @example
   * const signOut = gatehouse.singleSignOn.signOutUrl({ returnTo: '/' });
   */
  signOutUrl(query?: QueryOf<'GET /auth/sso/sign-out'>): string {
    return this.api.url('GET /auth/sso/sign-out', { query });
  }
}
