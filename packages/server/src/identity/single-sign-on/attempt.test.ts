import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { ADMIN_EMAIL } from '../identity.suite.ts';
import { type Browser, type BrowserAnswer, codeOf, openSingleSignOn } from './browser.suite.ts';

const sso = await openSingleSignOn();
const { identity, provider } = sso;
/** Characters that URLs, cookies and databases treat in special ways, and a lone surrogate. */
const CODE_UNITS = fc.constantFrom('\u0000', '\r', '\n', '%', '#', ';', '=', 'ä', '😀', '\ud800');
after(() => sso[Symbol.asyncDispose]());

/** Starts a sign-in and returns the path of the callback. */
async function start(browser: Browser, returnTo = '/console'): Promise<string> {
  const path = `/auth/sso/start?returnTo=${encodeURIComponent(returnTo)}`;
  const { pathname, search } = provider.authorize((await browser.get(path)).location);
  return pathname + search;
}

async function finished(): Promise<{ browser: Browser; code: string }> {
  const browser = sso.browser();
  return { browser, code: codeOf(await browser.get(await start(browser))) };
}

function assertRejected(answer: BrowserAnswer, status: number, code: string): void {
  assert.deepEqual({ status: answer.status, code: answer.code }, { status, code });
}

test('the redirect to the provider has state, nonce and a PKCE challenge with S256', async () => {
  const { location, headers } = await sso.browser().get('/auth/sso/start');
  const url = new URL(location);
  assert.equal(url.origin + url.pathname, `${provider.issuer}/authorize`);
  const { state, nonce, code_challenge, ...rest } = Object.fromEntries(url.searchParams);
  for (const value of [state, nonce, code_challenge]) assert.match(value ?? '', /^[\w-]{43}$/);
  assert.deepEqual(rest, {
    response_type: 'code',
    client_id: 'gatehouse',
    redirect_uri: 'http://localhost/auth/sso/callback',
    scope: 'openid email profile',
    code_challenge_method: 'S256',
  });
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.match(String(headers['set-cookie']), /; HttpOnly; SameSite=Lax/);
  assert.ok(!String(headers['set-cookie']).includes(state ?? ''));
});

test('the callback redirects to the path of the start, with the code in the fragment', async () => {
  const browser = sso.browser();
  const { status, location, headers } = await browser.get(await start(browser, '/console?tab=1'));
  assert.equal(status, 302);
  assert.match(location, /^\/console\?tab=1#sso-code=[\w-]{43}$/);
  assert.equal(headers['referrer-policy'], 'no-referrer');
});

test('a path that leads to another origin is rejected', async () => {
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example', '/a#b', '/\t/x'])
    for (const route of ['start', 'sign-out']) {
      const url = `/auth/sso/${route}?returnTo=${encodeURIComponent(path)}`;
      const { status, code, message } = await sso.browser().get(url);
      assert.equal(status, 400, path);
      assert.equal(code, 'access.invalid');
      assert.match(message, /returnTo: must be a path of this service/);
    }
  const long = (length: number) =>
    sso.browser().get(`/auth/sso/start?returnTo=/${'a'.repeat(length)}`);
  assert.equal((await long(999)).status, 302);
  assert.equal((await long(1000)).status, 400);
});

test('a callback is accepted only in the browser that started the sign-in', async () => {
  const [victim, attacker] = [sso.browser(), sso.browser()];
  const callback = await start(attacker);
  assertRejected(await victim.get(callback), 400, 'access.sso-state');
  await start(victim);
  assertRejected(await victim.get(callback), 400, 'access.sso-state');
  assert.equal((await attacker.get(callback)).status, 302, 'the failed attempts used nothing up');
});

test('a callback is accepted once, even if all of its requests arrive together', async () => {
  const browser = sso.browser();
  const callback = await start(browser);
  const { cookie } = browser;
  const answers = await Promise.all(
    [1, 2, 3].map(() => Object.assign(sso.browser(), { cookie }).get(callback)),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [302, 400, 400]);
  browser.cookie = cookie;
  assertRejected(await browser.get(callback), 400, 'access.sso-state');
});

test('a callback without a state, with another state or with a forged cookie is rejected', async () => {
  const browser = sso.browser();
  const callback = new URL(await start(browser), 'http://localhost');
  for (const state of ['', 'another']) {
    callback.searchParams.set('state', state);
    const answer = await browser.get(callback.pathname + callback.search);
    assertRejected(answer, 400, 'access.sso-state');
  }
  assertRejected(await browser.get('/auth/sso/callback'), 400, 'access.sso-state');
  const good = await start(browser);
  browser.cookie = `${browser.cookie.slice(0, -4)}AAAA`;
  assertRejected(await browser.get(good), 400, 'access.sso-state');
  browser.cookie = 'gatehouse-sso=x';
  assertRejected(await browser.get(good), 400, 'access.sso-state');
});

test('a state that is given twice is rejected', async () => {
  const browser = sso.browser();
  const answer = await browser.get(`${await start(browser)}&state=another`);
  assertRejected(answer, 401, 'access.sso-invalid-response');
});

test('an authorization code of another sign-in is rejected, because its PKCE verifier differs', async () => {
  const [victim, attacker] = [sso.browser(), sso.browser()];
  const stolen = new URL(await start(victim), 'http://localhost').searchParams.get('code') ?? '';
  const callback = new URL(await start(attacker), 'http://localhost');
  callback.searchParams.set('code', stolen);
  const answer = await attacker.get(callback.pathname + callback.search);
  assertRejected(answer, 401, 'access.sso-code-rejected');
});

test('a sign-in expires after ten minutes', async () => {
  const browser = sso.browser();
  const callback = await start(browser);
  identity.now += 600_000;
  assertRejected(await browser.get(callback), 400, 'access.sso-state');
});

test('a code is accepted once, within 60 seconds', async () => {
  const { browser, code } = await finished();
  identity.now += 59_999;
  assert.equal((await browser.redeem(code)).status, 200);
  assertRejected(await browser.redeem(code), 401, 'access.sso-code');
  const late = await finished();
  identity.now += 60_000;
  assertRejected(await late.browser.redeem(late.code), 401, 'access.sso-code');
});

test('a code is accepted only in the browser that completed the sign-in', async () => {
  const { browser, code } = await finished();
  assertRejected(await sso.browser().redeem(code), 401, 'access.sso-code');
  const other = await finished();
  assertRejected(await other.browser.redeem(code), 401, 'access.sso-code');
  assert.equal((await browser.redeem(code)).status, 200);
});

test('a code of a user who is disabled in the meantime creates no session', async () => {
  const root = await identity.person(ADMIN_EMAIL);
  const { user } = await sso.signIn();
  const { browser, code } = await finished();
  const disable = (disabled: boolean) =>
    identity.call('PATCH', `/users/${user.id}`, root.token, { disabled });
  await disable(true);
  await disable(false);
  assertRejected(await browser.redeem(code), 401, 'access.sso-code');
});

test('random parameters, cookies and codes are rejected without an internal error', async () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: CODE_UNITS }), fc.base64String());
  const names = fc.constantFrom('code', 'state', 'iss', 'error', 'response', 'id_token', '');
  const pairs = fc.array(fc.tuple(names, text), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(pairs, text, fc.boolean(), async (parameters, cookie, isStarted) => {
      const browser = sso.browser();
      const query = new URLSearchParams(parameters.map(([name, value]) => [name, value]));
      if (isStarted) {
        const started = new URL(await start(browser), 'http://localhost');
        query.append('state', started.searchParams.get('state') ?? '');
      } else
        browser.cookie = `gatehouse-sso=${Buffer.from(cookie)
          .toString('latin1')
          .replace(/[^\x20-\x7e]/g, '')}`;
      const { status } = await browser.get(`/auth/sso/callback?${query}`);
      assert.ok(status === 400 || status === 401, `${status} for ${query}`);
      assert.ok([400, 401].includes((await browser.redeem(cookie)).status));
    }),
    { numRuns: 50 },
  );
});

test('used states and expired codes are deleted', async () => {
  await finished();
  identity.now += 600_000;
  await finished();
  const { db } = identity;
  assert.equal((await db.selectFrom('sso_states').selectAll().execute()).length, 1);
  assert.equal((await db.selectFrom('sso_codes').selectAll().execute()).length, 1);
});

test('sign-out leads to the sign-out page of the provider, or to the given path', async () => {
  const path = '/auth/sso/sign-out?returnTo=/console';
  const { status, location } = await sso.browser().get(path);
  assert.equal(status, 302);
  const url = new URL(location);
  assert.equal(url.origin + url.pathname, `${provider.issuer}/sign-out`);
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    client_id: 'gatehouse',
    post_logout_redirect_uri: 'http://localhost/console',
  });
  provider.behaviour = { discovery: { end_session_endpoint: undefined } };
  identity.now += 3_600_000;
  assert.equal((await sso.browser().get(path)).location, '/console');
});

test('each route is limited per network address, as sign-ins are', async () => {
  await using limited = await openSingleSignOn({}, { signInsPerMinute: 2 });
  const browser = limited.browser();
  for (const url of ['/auth/sso/start', '/auth/sso/callback', '/auth/sso/sign-out']) {
    await browser.get(url);
    await browser.get(url);
    const third = await browser.get(url);
    assert.equal(third.status, 429, url);
    assert.ok(Number(third.headers['retry-after']) > 0);
  }
  await browser.redeem('a');
  await browser.redeem('a');
  assert.equal((await browser.redeem('a')).status, 429);
});
