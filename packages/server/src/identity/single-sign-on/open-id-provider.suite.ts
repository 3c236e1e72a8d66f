import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type JWTPayload, SignJWT } from 'jose';
import { Secret } from '../../platform/secrets/index.ts';
import type { SingleSignOnSettings } from './create-single-sign-on.ts';

export const CLIENT_ID = 'gatehouse';
export const CLIENT_SECRET = 'client-secret-of-at-least-32-characters';
/** The start of the header (`{"alg":`) or of the claims (`{"iss":`) of a token, in base64url. */
export const TOKEN_PART = /eyJ(hbGciOi|pc3MiOi)/;

type Json = Readonly<Record<string, unknown>>;
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Deviations from a correct provider. All members are optional. */
export interface Behaviour {
  /** Changes to the discovery document. */
  discovery?: Json;
  /** Changes to the claims of the ID token. */
  idToken?: Json;
  /** Creates the ID token instead of the provider. */
  sign?: (claims: Json) => string | Promise<string>;
  /** Changes to the response of the userinfo endpoint. */
  userInfo?: Json;
  /** Changes to the parameters of the callback. `null` removes a parameter. */
  callback?: Readonly<Record<string, string | null>>;
  /** Handlers that replace endpoints, by path. */
  handlers?: Readonly<Record<string, Handler>>;
}

export interface Key {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export function createKey(kid = 'key-1'): Key {
  return { kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
}

/** An OpenID provider on a free port of this machine. The claims in `user` belong to the next user who signs in. */
export class TestProvider implements AsyncDisposable {
  readonly requests: string[] = [];
  user: Json = { sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' };
  behaviour: Behaviour = {};
  keys: Key[] = [createKey()];
  now: () => number = Date.now;
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  readonly #codes = new Map<string, { readonly user: Json; readonly asked: URLSearchParams }>();

  static async open(): Promise<TestProvider> {
    const provider = new TestProvider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  settings(changes: Partial<SingleSignOnSettings> = {}): SingleSignOnSettings {
    return {
      issuer: this.issuer,
      clientId: CLIENT_ID,
      clientSecret: new Secret(CLIENT_SECRET),
      scopes: 'openid email profile',
      groupsClaim: 'groups',
      allowedDomains: ['example.com'],
      allowedGroups: null,
      adminGroups: [],
      groupRoles: [],
      ...changes,
    };
  }

  /** Signs the current user in at an authorization URL, and returns the URL to which the browser is redirected. */
  authorize(location: string): URL {
    const asked = new URL(location).searchParams;
    const code = randomUUID();
    this.#codes.set(code, { user: this.user, asked });
    const url = new URL(asked.get('redirect_uri') ?? '');
    const parameters = {
      code,
      state: asked.get('state'),
      iss: this.issuer,
      ...this.behaviour.callback,
    };
    for (const [name, value] of Object.entries(parameters))
      if (value !== null) url.searchParams.set(name, value);
    return url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.requests.push(path);
    const handler = this.behaviour.handlers?.[path];
    if (handler !== undefined) return handler(request, response);
    const { status, body } = await this.#answer(path, request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  async #answer(path: string, request: IncomingMessage): Promise<{ status: number; body: Json }> {
    switch (path) {
      case '/.well-known/openid-configuration':
        return { status: 200, body: { ...this.#discovery(), ...this.behaviour.discovery } };
      case '/jwks':
        return { status: 200, body: { keys: this.keys.map(toJwk) } };
      case '/token':
        return this.#token(request, new URLSearchParams(await text(request)));
      case '/userinfo':
        return { status: 200, body: { ...this.user, ...this.behaviour.userInfo } };
      default:
        return { status: 404, body: {} };
    }
  }

  #discovery(): Json {
    const url = (path: string) => `${this.issuer}${path}`;
    return {
      issuer: this.issuer,
      authorization_endpoint: url('/authorize'),
      token_endpoint: url('/token'),
      jwks_uri: url('/jwks'),
      userinfo_endpoint: url('/userinfo'),
      end_session_endpoint: url('/sign-out'),
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  async #token(
    request: IncomingMessage,
    given: URLSearchParams,
  ): Promise<{ status: number; body: Json }> {
    const [, basic = ''] = (request.headers.authorization ?? '').split(' ');
    const credentials = decodeURIComponent(Buffer.from(basic, 'base64').toString());
    if (credentials !== `${CLIENT_ID}:${CLIENT_SECRET}`)
      return { status: 400, body: { error: 'invalid_client' } };
    const code = given.get('code') ?? '';
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256').update(given.get('code_verifier') ?? '');
    if (
      grant === undefined ||
      grant.asked.get('code_challenge_method') !== 'S256' ||
      grant.asked.get('code_challenge') !== challenge.digest('base64url') ||
      grant.asked.get('redirect_uri') !== given.get('redirect_uri')
    )
      return { status: 400, body: { error: 'invalid_grant' } };
    const seconds = Math.floor(this.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: seconds,
      exp: seconds + 300,
      nonce: grant.asked.get('nonce'),
      ...grant.user,
      ...this.behaviour.idToken,
    };
    const { sign = (all: Json) => this.sign(all) } = this.behaviour;
    const tokens = { access_token: 'provider-access-token', token_type: 'Bearer' };
    return { status: 200, body: { ...tokens, id_token: await sign(claims) } };
  }

  sign(claims: Json, key = this.keys[0] ?? createKey()): Promise<string> {
    const token = new SignJWT(claims as JWTPayload);
    return token.setProtectedHeader({ alg: 'ES256', kid: key.kid }).sign(key.privateKey);
  }
}

function toJwk({ kid, publicKey }: Key): Json {
  return { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' };
}
