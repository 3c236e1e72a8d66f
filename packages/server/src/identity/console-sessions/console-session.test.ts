import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_EMAIL, type IdentityUnderTest, openIdentity, PASSWORD } from '../identity.suite.ts';

const ORIGIN = 'https://gate.example';
const SIGN_IN = { email: ADMIN_EMAIL, password: PASSWORD };
const LOCALHOST = 'http://localhost:8080';

type Headers = Readonly<Record<string, string>>;

const open = (baseUrl = ORIGIN) => openIdentity({ baseUrl });

/** Sends a request as a browser on a page of `origin` does. */
async function send(
  { app }: IdentityUnderTest,
  request: {
    method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
    url: string;
    headers?: Headers;
    body?: object;
  },
) {
  const { method = 'GET', url, headers = {}, body } = request;
  const payload = body === undefined ? {} : { payload: body };
  const answer = await app.inject({ method, url, headers, ...payload });
  const cookie = String(answer.headers['set-cookie'] ?? '');
  const json = answer.body === '' ? {} : answer.json<Record<string, unknown>>();
  return { status: answer.statusCode, code: json['code'], json, cookie };
}

const signIn = (identity: IdentityUnderTest, body: object = SIGN_IN, origin = ORIGIN) =>
  send(identity, { method: 'POST', url: '/console/session', headers: { origin }, body });

const pairOf = (setCookie: string) => setCookie.split(';')[0] ?? '';

test('a sign-in sets a cookie that only this host receives, and returns no token', async () => {
  await using identity = await open();
  const { status, json, cookie } = await signIn(identity);
  assert.equal(status, 201);
  assert.deepEqual(Object.keys(json).sort(), ['expiresAt', 'user']);
  assert.match(
    cookie,
    /^__Host-gatehouse=[0-9a-f]{64}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
  );
  const session = await send(identity, {
    url: '/auth/session',
    headers: { cookie: pairOf(cookie) },
  });
  assert.equal(session.status, 200);
  assert.deepEqual(session.json, json);
});

test('on a loopback address without TLS the cookie has no prefix, and on other addresses there is no console session', async () => {
  await using identity = await open(LOCALHOST);
  const { cookie } = await signIn(identity, SIGN_IN, LOCALHOST);
  assert.match(
    cookie,
    /^gatehouse=[0-9a-f]{64}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
  );
  const headers = { cookie: pairOf(cookie) };
  assert.equal((await send(identity, { url: '/auth/session', headers })).status, 200);

  const insecure = 'http://gate.example';
  await using other = await open(insecure);
  const rejected = await signIn(other, SIGN_IN, insecure);
  assert.equal(rejected.status, 403);
  assert.equal(rejected.code, 'access.tls-required');
  assert.equal(rejected.cookie, '');
});

test('the value of the cookie is no session token, and a session token is no value of the cookie', async () => {
  await using identity = await open();
  const { cookie } = await signIn(identity);
  const [, value = ''] = pairOf(cookie).split('=');
  const { token } = await identity.person(ADMIN_EMAIL);
  for (const headers of [
    { authorization: `Bearer ${value}` },
    { authorization: `Bearer console ${value}` },
    { cookie: `__Host-gatehouse=${token}` },
    { cookie: `gatehouse=${value}` },
  ])
    assert.equal((await send(identity, { url: '/auth/session', headers })).status, 401);
  const moved = await signIn(identity, { token: `console ${value}` });
  assert.equal(moved.status, 401);
});

test('a request that can change data needs the Origin of the service', async () => {
  await using identity = await open();
  const cookie = pairOf((await signIn(identity)).cookie);
  for (const origin of [
    undefined,
    'null',
    'https://evil.example',
    'http://gate.example',
    `${ORIGIN}:8443`,
  ]) {
    const headers: Headers = { cookie, ...(origin === undefined ? {} : { origin }) };
    const answer = await send(identity, { method: 'DELETE', url: '/auth/sessions', headers });
    assert.equal(answer.status, 403);
    assert.equal(answer.code, 'access.other-origin');
    assert.equal(
      answer.json['message'],
      'A console session works only on pages of https://gate.example; open https://gate.example/console.',
    );
  }
  const headers = { cookie, origin: ORIGIN };
  const own = await send(identity, { method: 'DELETE', url: '/auth/sessions', headers });
  assert.equal(own.status, 204);
});

test('a read is rejected if a page of another site or host requests it', async () => {
  await using identity = await open();
  const cookie = pairOf((await signIn(identity)).cookie);
  const read = async (headers: Headers, method: 'GET' | 'HEAD' = 'GET') =>
    (await send(identity, { method, url: '/auth/session', headers: { cookie, ...headers } }))
      .status;
  for (const site of ['same-origin', 'none'])
    assert.equal(await read({ 'sec-fetch-site': site }), 200, site);
  for (const site of ['cross-site', 'same-site', ''])
    assert.equal(await read({ 'sec-fetch-site': site }), 403, site);
  assert.equal(await read({ 'sec-fetch-site': 'cross-site' }, 'HEAD'), 403);
  assert.equal(await read({ origin: 'https://evil.example' }), 403);
});

test('a page of another origin cannot sign the user in', async () => {
  await using identity = await open();
  for (const headers of [{ origin: 'https://evil.example' }, {}]) {
    const answer = await send(identity, {
      ...{ method: 'POST', url: '/console/session', headers, body: SIGN_IN },
    } as const);
    assert.equal(answer.status, 403);
    assert.equal(answer.cookie, '');
  }
});

test('a session that was opened without a password continues in the cookie, and its token becomes invalid', async () => {
  await using identity = await open();
  const { id, token } = await identity.person('ada@example.com');
  const moved = await signIn(identity, { token });
  assert.equal(moved.status, 201);
  assert.equal((moved.json['user'] as { id: string }).id, id);
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 401);
  assert.equal((await signIn(identity, { token })).status, 401);
  const headers = { cookie: pairOf(moved.cookie) };
  const { json } = await send(identity, { url: '/auth/sessions', headers });
  assert.equal((json['items'] as unknown[]).length, 1);
});

test('of two requests that move one session at the same time, one succeeds', async () => {
  await using identity = await open();
  const { token } = await identity.person('ada@example.com');
  const answers = await Promise.all([signIn(identity, { token }), signIn(identity, { token })]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401]);
});

test('a sign-out ends the session and removes the cookie', async () => {
  await using identity = await open();
  const cookie = pairOf((await signIn(identity)).cookie);
  const headers = { cookie, origin: ORIGIN };
  const ended = await send(identity, { method: 'DELETE', url: '/console/session', headers });
  assert.equal(ended.status, 204);
  assert.match(ended.cookie, /^__Host-gatehouse=; Path=\/; Max-Age=0; /);
  assert.equal((await send(identity, { url: '/auth/session', headers: { cookie } })).status, 401);
});

test('a user whose sessions were ended or who was disabled loses the console session', async () => {
  await using identity = await open();
  const { id } = await identity.person('ada@example.com');
  const cookie = pairOf(
    (await signIn(identity, { email: 'ada@example.com', password: PASSWORD })).cookie,
  );
  const read = async () =>
    (await send(identity, { url: '/auth/session', headers: { cookie } })).status;
  assert.equal(await read(), 200);
  await identity.sessions.endAllOf(id);
  assert.equal(await read(), 401);
});

test('wrong passwords count towards the limit of the account', async () => {
  await using identity = await open();
  const wrong = { email: ADMIN_EMAIL, password: 'a wrong password' };
  for (let failures = 0; failures < 10; failures += 1)
    assert.equal((await signIn(identity, wrong)).status, 401);
  const blocked = await signIn(identity);
  assert.equal(blocked.status, 429);
  assert.equal(blocked.code, 'access.too-many-failures');
});

test('the body has the members of exactly one way to sign in', async () => {
  await using identity = await open();
  for (const body of [
    {},
    { email: ADMIN_EMAIL },
    { password: PASSWORD },
    { ...SIGN_IN, token: 'x' },
  ]) {
    const answer = await signIn(identity, body);
    assert.equal(answer.status, 400);
    assert.match(
      JSON.stringify(answer.json),
      /must have `email` and `password`, `challenge` and `code`, or `token`/,
    );
  }
});

test('a credential in a header wins over the cookie', async () => {
  await using identity = await open();
  const cookie = pairOf((await signIn(identity)).cookie);
  const { id, token } = await identity.person('ada@example.com');
  const headers = { cookie, authorization: `Bearer ${token}` };
  const { json } = await send(identity, { url: '/auth/session', headers });
  assert.equal((json['user'] as { id: string }).id, id);
});
