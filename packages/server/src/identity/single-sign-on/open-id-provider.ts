import type * as OAuth from 'oauth4webapi';
import { type Clock, MINUTE_MS } from '../../lib/scheduling/index.ts';
import type { Secret } from '../../platform/secrets/index.ts';
import { isLoopback } from '../../platform/settings/index.ts';
import { type BoundedRequest, boundedFetch, ProviderUnreachable } from './bounded-fetch.ts';
import type { Claims } from './person.rules.ts';
import { failureOf, InvalidIdToken } from './provider-failures.ts';

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret<string>;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly groupsClaim: string;
  /** `true` if the policy depends on groups. */
  readonly needsGroups: boolean;
}

export interface ProviderDeps {
  readonly settings: ProviderSettings;
  readonly clock: Clock;
  /** Receives the reason of a failure, without tokens and claims. */
  readonly warn: (reason: Readonly<Record<string, string>>) => void;
}

/** The random values that bind a response of the provider to one sign-in. */
export interface Challenge {
  readonly state: string;
  readonly nonce: string;
  /** PKCE code verifier. */
  readonly verifier: string;
}

const METADATA_MAX_AGE_MS = 10 * MINUTE_MS;
const CLOCK_TOLERANCE_SECONDS = 60;

/**
 * A client of one OpenID provider. The methods throw an `ApiError` if the provider is unavailable or its response fails a
 * check. Tokens of the provider are neither stored nor logged.
 *
 * The library caches the provider's keys for five minutes. For an unknown key ID it fetches them again at most once per minute.
 */
export class OpenIdProvider {
  readonly #deps: ProviderDeps;
  #metadata: { readonly server: OAuth.AuthorizationServer; readonly fetchedAt: number } | undefined;
  #discovery: Promise<OAuth.AuthorizationServer> | undefined;

  constructor(deps: ProviderDeps) {
    this.#deps = deps;
  }

  /** Returns the URL of the provider at which the user signs in. */
  async authorizationUrl(challenge: Challenge, redirectUri: string): Promise<URL> {
    return this.#run(async (oauth) => {
      const { clientId, scopes } = this.#deps.settings;
      const server = await this.#server(oauth);
      const url = this.#endpoint(oauth, server, 'authorization_endpoint');
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes,
        state: challenge.state,
        nonce: challenge.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(challenge.verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    });
  }

  /** Exchanges the authorization code in the parameters of the callback, and verifies the response and its ID token. */
  async claims(
    parameters: URLSearchParams,
    { state, nonce, verifier }: Challenge,
    redirectUri: string,
  ): Promise<Claims> {
    return this.#run(async (oauth) => {
      const server = await this.#server(oauth);
      const client = this.#client(oauth);
      // Also checks `iss`, which prevents mix-up of providers (RFC 9207).
      const callback = oauth.validateAuthResponse(server, client, parameters, state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        this.#authentication(oauth, server),
        callback,
        redirectUri,
        verifier,
        this.#options(oauth),
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      });
      await oauth.validateApplicationLevelSignature(server, response, this.#options(oauth));
      const idToken = oauth.getValidatedIdTokenClaims(tokens);
      if (idToken === undefined) throw new InvalidIdToken('the provider sent no ID token');
      // The library checks the authorized party only if there are several audiences.
      if (idToken.azp !== undefined && idToken.azp !== this.#deps.settings.clientId)
        throw new InvalidIdToken('the ID token has another authorized party');
      const isComplete =
        idToken['email'] !== undefined &&
        idToken['email_verified'] !== undefined &&
        (!this.#deps.settings.needsGroups ||
          idToken[this.#deps.settings.groupsClaim] !== undefined);
      const userInfo =
        isComplete || server.userinfo_endpoint === undefined
          ? {}
          : await this.#userInfo(oauth, server, tokens.access_token, idToken.sub);
      return this.#merge(idToken, userInfo);
    });
  }

  /** Returns the URL at which the user signs out of the provider, or `null` if the provider has none. */
  async signOutUrl(returnUrl: string): Promise<URL | null> {
    return this.#run(async (oauth) => {
      const server = await this.#server(oauth);
      if (server.end_session_endpoint === undefined) return null;
      const url = this.#endpoint(oauth, server, 'end_session_endpoint');
      url.searchParams.set('client_id', this.#deps.settings.clientId);
      url.searchParams.set('post_logout_redirect_uri', returnUrl);
      return url;
    });
  }

  async #run<T>(work: (oauth: typeof OAuth) => Promise<T>): Promise<T> {
    try {
      // Most processes serve many requests before the first single sign-on.
      return await work(await import('oauth4webapi'));
    } catch (error) {
      const failure = failureOf(error);
      this.#deps.warn(failure.reason);
      throw failure.error;
    }
  }

  /** Returns the provider's metadata. Concurrent callers share one request. */
  #server(oauth: typeof OAuth): Promise<OAuth.AuthorizationServer> {
    const now = this.#deps.clock();
    const known = this.#metadata;
    if (known !== undefined && Math.abs(now - known.fetchedAt) < METADATA_MAX_AGE_MS)
      return Promise.resolve(known.server);
    this.#discovery ??= this.#discover(oauth)
      .then((server) => {
        this.#metadata = { server, fetchedAt: now };
        return server;
      })
      .finally(() => {
        this.#discovery = undefined;
      });
    return this.#discovery;
  }

  async #discover(oauth: typeof OAuth): Promise<OAuth.AuthorizationServer> {
    const { issuer } = this.#deps.settings;
    const url = new URL(issuer);
    const response = await oauth.discoveryRequest(url, this.#options(oauth));
    const server = await oauth.processDiscoveryResponse(url, response).catch((cause: unknown) => {
      throw new ProviderUnreachable('the discovery document is invalid or of another issuer', {
        cause,
      });
    });
    // The library compares normalised URLs, but the ID token must contain the same string.
    if (server.issuer !== issuer)
      throw new ProviderUnreachable('the discovery document is of another issuer');
    for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const)
      this.#endpoint(oauth, server, name);
    return server;
  }

  #endpoint(
    oauth: typeof OAuth,
    server: OAuth.AuthorizationServer,
    name: 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri' | 'end_session_endpoint',
  ): URL {
    const url = URL.parse(server[name] ?? '');
    const isPermitted =
      url?.protocol === 'https:' ||
      (url?.protocol === 'http:' &&
        isLoopback(url) &&
        this.#options(oauth)[oauth.allowInsecureRequests]);
    if (url !== null && isPermitted) return url;
    throw new ProviderUnreachable(`the discovery document has no valid ${name}`);
  }

  async #userInfo(
    oauth: typeof OAuth,
    server: OAuth.AuthorizationServer,
    accessToken: string,
    subject: string,
  ): Promise<Readonly<Record<string, unknown>>> {
    const client = this.#client(oauth);
    const options = this.#options(oauth);
    const response = await oauth.userInfoRequest(server, client, accessToken, options);
    // The signature of a signed response would have to be verified, but this client never requests a signed response.
    if (/^application\/jwt\b/i.test(response.headers.get('content-type') ?? ''))
      throw new ProviderUnreachable('the userinfo response is a JWT');
    return oauth.processUserInfoResponse(server, client, subject, response);
  }

  /** The address and its verification always come from the same response. */
  #merge(idToken: OAuth.IDToken, userInfo: Readonly<Record<string, unknown>>): Claims {
    const { groupsClaim } = this.#deps.settings;
    const isInIdToken = idToken['email'] !== undefined && idToken['email_verified'] !== undefined;
    const address = isInIdToken || userInfo['email'] === undefined ? idToken : userInfo;
    return {
      subject: idToken.sub,
      email: address['email'],
      emailVerified: address['email_verified'],
      name: idToken['name'] ?? userInfo['name'],
      groups: idToken[groupsClaim] ?? userInfo[groupsClaim],
    };
  }

  #client(oauth: typeof OAuth): OAuth.Client {
    return {
      client_id: this.#deps.settings.clientId,
      [oauth.clockSkew]: Math.round((this.#deps.clock() - Date.now()) / 1000),
      [oauth.clockTolerance]: CLOCK_TOLERANCE_SECONDS,
    };
  }

  #authentication(oauth: typeof OAuth, server: OAuth.AuthorizationServer): OAuth.ClientAuth {
    const secret = this.#deps.settings.clientSecret.reveal();
    // `client_secret_post` is preferred, because providers disagree about the encoding of special characters in
    // `client_secret_basic`, which is the default of OpenID Connect Discovery.
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return methods.includes('client_secret_post')
      ? oauth.ClientSecretPost(secret)
      : oauth.ClientSecretBasic(secret);
  }

  #options(oauth: typeof OAuth) {
    return {
      [oauth.customFetch]: (url: string, request: BoundedRequest) => boundedFetch(url, request),
      // The settings permit `http:` only for this machine.
      [oauth.allowInsecureRequests]: this.#deps.settings.issuer.startsWith('http:'),
    };
  }
}
