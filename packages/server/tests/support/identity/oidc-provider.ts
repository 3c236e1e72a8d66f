import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider, { type Configuration } from 'oidc-provider';
import type { Client, ClientResponse } from '../http/client.ts';
import { startTestServer } from '../http/test-server.ts';

export const CLIENT_ID = 'gatehouse-test';
export const CLIENT_SECRET = 'a client secret: with +special/ characters & spaces';

export interface ProviderUser {
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
  readonly groups: readonly string[];
}

/** An OpenID provider (`oidc-provider`) on a free port of this machine. */
export interface RunningProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Users by `sub`. Tests may change them. */
  readonly users: Map<string, ProviderUser>;
  /** The `sub` of the user who signs in at the provider next. */
  signsIn: string;
  /** Follows redirects inside the provider, as a browser without cookies does, and returns the URL of the callback. */
  authorize(location: string): Promise<URL>;
}

/** @param serviceUrl URL of the service that is registered as a client. */
export async function startProvider(serviceUrl: string): Promise<RunningProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = await startTestServer((request, response) => handle(request, response));
  const issuer = server.origin;
  const users = new Map<string, ProviderUser>();
  const provider = new Provider(issuer, configurationFor(serviceUrl, users));
  const running: RunningProvider = {
    issuer,
    users,
    signsIn: '',
    authorize: (location) => followRedirects(location, issuer),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  const callback = provider.callback();
  handle = (request, response) => {
    if (request.url?.startsWith('/interaction/'))
      void finishInteraction(provider, running.signsIn, request, response);
    else void callback(request, response);
  };
  return running;
}

/** Signs a user of the provider in. Returns the session, or the first response that is an error. */
export async function singleSignOn(
  client: Client,
  provider: RunningProvider,
  sub: string,
): Promise<ClientResponse> {
  const started = await client('/auth/sso/start?returnTo=/console');
  if (started.status !== 302) return started;
  provider.signsIn = sub;
  const callback = await provider.authorize(started.headers.get('location') ?? '');
  const headers = { cookie: cookieOf(started) };
  const finished = await client(callback.pathname + callback.search, { headers });
  if (finished.status !== 302) return finished;
  const [path, fragment] = (finished.headers.get('location') ?? '').split('#');
  assert.equal(path, '/console');
  const body = { code: new URLSearchParams(fragment).get('sso-code') };
  return client('/auth/sso/token', { body, headers: { cookie: cookieOf(finished) } });
}

function cookieOf({ headers }: ClientResponse): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

function configurationFor(
  serviceUrl: string,
  users: ReadonlyMap<string, ProviderUser>,
): Configuration {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${serviceUrl}/auth/sso/callback`],
        post_logout_redirect_uris: [`${serviceUrl}/`],
        id_token_signed_response_alg: 'ES256',
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, ...users.get(sub) }),
    }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'key-1', use: 'sig' }] },
    pkce: { required: () => true },
    ttl: {
      AccessToken: 60,
      AuthorizationCode: 60,
      Grant: 60,
      IdToken: 60,
      Interaction: 60,
      Session: 60,
    },
  };
}

/** Signs the user in and gives the consent. */
async function finishInteraction(
  provider: Provider,
  accountId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const grant = new provider.Grant({
    accountId: session?.accountId ?? accountId,
    clientId: String(params['client_id']),
  });
  grant.addOIDCScope(String(params['scope']));
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(
    request,
    response,
    { consent },
    { mergeWithLastSubmission: true },
  );
}

async function followRedirects(location: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  for (let url = new URL(location); ; ) {
    if (url.origin !== issuer) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = response.headers.get('location');
    if (next === null) throw new Error(`${url.pathname}: ${await response.text()}`);
    url = new URL(next, url);
  }
}
