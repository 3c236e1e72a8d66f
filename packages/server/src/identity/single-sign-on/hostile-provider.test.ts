import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, beforeEach, test } from 'node:test';
import { ADMIN_EMAIL } from '../identity.suite.ts';
import { openSingleSignOn } from './browser.suite.ts';
import { CLIENT_ID, CLIENT_SECRET, createKey, TOKEN_PART } from './open-id-provider.suite.ts';

const sso = await openSingleSignOn();
const { identity, provider } = sso;
after(() => sso[Symbol.asyncDispose]());
const WELL_KNOWN = '/.well-known/openid-configuration';
/** Longer than the provider's metadata is cached. */
const HOUR_MS = 3_600_000;

beforeEach(() => {
  provider.behaviour = {};
  identity.now += HOUR_MS;
});

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function users(): Promise<number> {
  return (await identity.db.selectFrom('users').select('id').execute()).length;
}

/** Asserts that a sign-in fails with this error and creates neither a user nor a session. */
async function assertRejected(code: string, status: number): Promise<void> {
  const before = await users();
  const { status: got, code: reason } = await sso.signIn();
  assert.deepEqual({ status: got, code: reason }, { status, code });
  assert.equal(await users(), before);
  assert.deepEqual(await identity.db.selectFrom('sso_codes').selectAll().execute(), []);
}

const invalid = () => assertRejected('access.sso-invalid-response', 401);
const unavailable = () => assertRejected('access.sso-unavailable', 503);

test('an ID token of another issuer is rejected', async () => {
  for (const iss of ['https://other.example', `${provider.issuer}/`, undefined]) {
    provider.behaviour = { idToken: { iss } };
    await invalid();
  }
});

test('an ID token for another audience or authorized party is rejected', async () => {
  for (const idToken of [
    { aud: 'another' },
    { aud: [] },
    { aud: undefined },
    { aud: [CLIENT_ID, 'another'] },
    { aud: [CLIENT_ID, 'another'], azp: 'another' },
    { azp: 'another' },
  ]) {
    provider.behaviour = { idToken };
    await invalid();
  }
});

test('an ID token with another nonce or without a nonce is rejected', async () => {
  for (const nonce of ['another', '', undefined, null, 1]) {
    provider.behaviour = { idToken: { nonce } };
    await invalid();
  }
});

test('an ID token is rejected more than 60 seconds after its expiry', async () => {
  const seconds = Math.floor(identity.now / 1000);
  provider.behaviour = { idToken: { exp: seconds - 63 } };
  await invalid();
  provider.behaviour = { idToken: { exp: seconds - 57 } };
  assert.equal((await sso.signIn()).status, 200);
});

test('an ID token without a signature is rejected', async () => {
  const header = encode({ alg: 'none' });
  provider.behaviour = { sign: (claims) => `${header}.${encode(claims)}.` };
  await invalid();
  // Not even if the provider announces the algorithm.
  const discovery = { id_token_signing_alg_values_supported: ['none'] };
  provider.behaviour = { ...provider.behaviour, discovery };
  identity.now += HOUR_MS;
  await invalid();
});

test('an ID token that is signed with the client secret or the public key as an HMAC key is rejected', async () => {
  const [key] = provider.keys;
  const publicKey = key?.publicKey.export({ format: 'pem', type: 'spki' }) ?? '';
  for (const secret of [CLIENT_SECRET, publicKey]) {
    const sign = (claims: object) => {
      const text = `${encode({ alg: 'HS256', kid: key?.kid })}.${encode(claims)}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    provider.behaviour = { sign, discovery: { id_token_signing_alg_values_supported: ['HS256'] } };
    identity.now += HOUR_MS;
    await invalid();
  }
});

test('an ID token that is signed with another key is rejected', async () => {
  provider.behaviour = { sign: (claims) => provider.sign(claims, createKey('key-1')) };
  await invalid();
});

test('an ID token whose claims were changed after signing is rejected', async () => {
  provider.behaviour = {
    sign: async (claims) => {
      const [header, , signature] = (await provider.sign(claims)).split('.');
      return `${header}.${encode({ ...claims, sub: 'root' })}.${signature}`;
    },
  };
  await invalid();
});

test('malformed tokens and keys are rejected', async () => {
  const handlers = { '/token': answering(200, 'no JSON') };
  provider.behaviour = { handlers };
  await invalid();
  for (const token of ['', 'a', 'a.b.c', '..', 'e30.e30.', `${encode({ alg: 5 })}.e30.!`]) {
    provider.behaviour = { sign: () => token };
    await invalid();
  }
  for (const sub of [undefined, '', 5, 'x'.repeat(256), 'ä', 'a\u0000']) {
    provider.behaviour = { idToken: { sub } };
    await invalid();
  }
});

test('an unknown key ID causes at most one request for keys per minute', async () => {
  provider.behaviour = { sign: (claims) => provider.sign(claims, createKey('unknown')) };
  await invalid();
  provider.requests.length = 0;
  for (let attempt = 0; attempt < 3; attempt += 1) await invalid();
  assert.ok(!provider.requests.includes('/jwks'));
});

test('a response of another provider is rejected before the code is sent anywhere', async () => {
  for (const iss of ['https://other.example', null]) {
    provider.behaviour = { callback: { iss } };
    provider.requests.length = 0;
    await invalid();
    assert.ok(!provider.requests.includes('/token'));
  }
});

test('a userinfo response about another user is rejected', async () => {
  provider.user = { sub: 'eve', email: 'eve@example.com' };
  provider.behaviour = {
    userInfo: { sub: 'ada', email: 'ada@example.com', email_verified: true },
  };
  await invalid();
});

test('the address and its verification must come from the same response', async () => {
  provider.user = { sub: 'eve', email: 'eve@example.com' };
  provider.behaviour = {
    idToken: { email: ADMIN_EMAIL },
    userInfo: { email: 'eve@example.com', email_verified: true },
  };
  const { user } = await sso.signIn();
  assert.equal(user.email, 'eve@example.com');
});

test('an error of the provider is reported', async () => {
  provider.behaviour = { callback: { code: null, error: 'access_denied' } };
  await assertRejected('access.sso-denied', 401);
  provider.behaviour = { callback: { code: null, error: 'temporarily_unavailable' } };
  await unavailable();
  provider.behaviour = { callback: { code: 'unknown' } };
  await assertRejected('access.sso-code-rejected', 401);
  const handlers = { '/token': answering(401, { error: 'invalid_client' }) };
  provider.behaviour = { handlers };
  await assertRejected('access.sso-misconfigured', 503);
});

test('a discovery document of another issuer is rejected', async () => {
  for (const issuer of ['https://other.example', `${provider.issuer}/`, undefined, 5]) {
    provider.behaviour = { discovery: { issuer } };
    await unavailable();
  }
});

test('a discovery document with missing or insecure endpoints is rejected', async () => {
  for (const discovery of [
    { token_endpoint: undefined },
    { jwks_uri: 'http://other.example/jwks' },
    { authorization_endpoint: 'javascript:alert(1)' },
    { token_endpoint: 5 },
  ]) {
    provider.behaviour = { discovery };
    await unavailable();
  }
});

test('redirects, large responses and errors of the provider are rejected', async () => {
  const redirect: Handler = (_request, response) =>
    void response.writeHead(302, { location: `${provider.issuer}/elsewhere` }).end();
  const large: Handler = (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(LARGE);
  for (const handler of [redirect, large, answering(500, {})])
    for (const path of [WELL_KNOWN, '/token', '/jwks']) {
      provider.behaviour = { handlers: { [path]: handler } };
      // A new key makes the client fetch the keys again.
      provider.keys = [createKey(`key-${identity.now}`)];
      identity.now += HOUR_MS;
      await unavailable();
    }
  assert.ok(!provider.requests.includes('/elsewhere'));
});

test('without the provider, the error says so, and users sign in with their passwords', async () => {
  await provider[Symbol.asyncDispose]();
  const started = await sso.browser().get('/auth/sso/start');
  assert.equal(started.status, 503);
  assert.equal(started.code, 'access.sso-unavailable');
  assert.match(started.message, /unavailable/);
  assert.ok(Number(started.headers['retry-after']) > 0);
  assert.equal((await identity.signIn(ADMIN_EMAIL)).status, 200);
  assert.match(
    identity.logLines.join(''),
    /"reason":"the connection failed \((ECONNREFUSED|UND_ERR_SOCKET)\)"/,
  );
});

test('the log contains the reasons of failures, but no token, code and secret', async () => {
  const log = identity.logLines.join('');
  assert.match(log, /unexpected JWT \\"iss\\" \(issuer\) claim value/);
  assert.match(log, /the provider sent a redirect/);
  for (const secret of [CLIENT_SECRET, 'provider-access-token', 'ada@example.com'])
    assert.ok(!log.includes(secret), secret);
  assert.match(await provider.sign({}), TOKEN_PART);
  assert.doesNotMatch(log, TOKEN_PART);
});

type Handler = NonNullable<NonNullable<typeof provider.behaviour.handlers>[string]>;

const LARGE = JSON.stringify({ padding: 'x'.repeat(2 * 1024 * 1024) });

function answering(status: number, body: unknown): Handler {
  return (_request, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  };
}
