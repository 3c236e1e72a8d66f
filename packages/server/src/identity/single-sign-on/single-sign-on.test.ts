import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ADMIN_EMAIL, openIdentity, PASSWORD } from '../identity.suite.ts';
import { withSecondFactors } from '../second-factor/authenticator.suite.ts';
import { codeOf, openSingleSignOn } from './browser.suite.ts';
import { CLIENT_SECRET, TOKEN_PART } from './open-id-provider.suite.ts';

const NEW_PASSWORD = 'another horse battery';

test('the first sign-in creates a user without a password, and the second finds the user', async () => {
  await using sso = await openSingleSignOn();
  const { identity } = sso;
  const { status, token, user } = await sso.signIn();
  assert.equal(status, 200);
  assert.deepEqual(
    { ...user, id: '', createdAt: '' },
    { id: '', email: 'ada@example.com', name: 'Ada', admin: false, disabled: false, createdAt: '' },
  );
  const shown = await identity.call('GET', '/auth/session', token);
  assert.equal(shown.body.user.id, user.id);
  assert.equal((await sso.signIn()).user.id, user.id);
  assert.equal((await identity.signIn('ada@example.com')).status, 401);
});

test('neither tokens of the provider nor codes are stored or logged', async () => {
  await using sso = await openSingleSignOn();
  const { identity } = sso;
  const browser = sso.browser();
  const started = await browser.get('/auth/sso/start');
  const callback = sso.provider.authorize(started.location);
  const code = codeOf(await browser.get(callback.pathname + callback.search));
  const { db } = identity;
  const tables = ['users', 'accounts', 'sessions', 'verifications', 'sso_states', 'sso_codes'];
  const rows = await Promise.all(
    tables.map((table) =>
      db
        .selectFrom(table as 'users')
        .selectAll()
        .execute(),
    ),
  );
  const { token } = await browser.redeem(code);
  const text = JSON.stringify(rows) + identity.logLines.join('');
  const cookie = browser.cookie.split('=')[1] ?? '';
  const ofProvider = [...callback.searchParams.values()].filter((value) => value.length > 20);
  for (const secret of [code, token, cookie, CLIENT_SECRET, 'provider-access-token'])
    assert.ok(secret.length > 0 && !text.includes(secret), secret);
  assert.doesNotMatch(text, TOKEN_PART);
  for (const value of ofProvider.filter((value) => value !== sso.provider.issuer))
    assert.ok(!text.includes(value), value);
});

test('a user is identified by issuer and subject, so a changed address takes over no account', async () => {
  await using sso = await openSingleSignOn();
  const { identity, provider } = sso;
  const { user } = await sso.signIn();
  const other = await identity.person('bob@example.com');
  provider.user = { ...provider.user, email: 'bob@example.com' };
  const renamed = await sso.signIn();
  assert.equal(renamed.user.id, user.id);
  assert.equal(renamed.user.email, 'ada@example.com', 'the address of another user is not taken');
  assert.equal((await identity.call('GET', '/auth/session', other.token)).status, 200);
  assert.equal((await identity.signIn('bob@example.com')).status, 200);

  provider.user = { ...provider.user, email: 'ada.l@example.com' };
  assert.equal((await sso.signIn()).user.email, 'ada.l@example.com');
});

test('a user who may no longer sign in loses the rights of groups when the sign-in is rejected', async () => {
  await using sso = await openSingleSignOn({ allowedGroups: ['staff'], adminGroups: ['admins'] });
  const { identity, provider } = sso;
  provider.user = { ...provider.user, groups: ['staff', 'admins'] };
  const { token } = await sso.signIn();
  const listUsers = async () => (await identity.call('GET', '/users', token)).status;
  assert.equal(await listUsers(), 200);
  provider.user = { ...provider.user, groups: [] };
  assert.equal((await sso.signIn()).code, 'access.sso-not-allowed');
  assert.equal(await listUsers(), 403);
});

test('linking an existing user removes the password and ends the sessions', async () => {
  await using sso = await openSingleSignOn();
  const { identity } = sso;
  const prepared = await identity.person('Ada@example.com');
  const second = await identity.person('ada@example.com');
  const { user, token } = await sso.signIn();
  assert.equal(user.id, prepared.id);
  for (const old of [prepared, second])
    assert.equal((await identity.call('GET', '/auth/session', old.token)).status, 401);
  assert.equal((await identity.signIn('ada@example.com')).status, 401);
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 200);
  const accounts = await identity.db
    .selectFrom('accounts')
    .select(['provider_id', 'password'])
    .where('user_id', '=', user.id)
    .execute();
  assert.equal(accounts.length, 1);
  assert.equal(accounts[0]?.provider_id, `oidc:${sso.provider.issuer}`);
  assert.equal(accounts[0]?.password, null);
});

test('linking deletes a second factor that somebody prepared, and single sign-on asks for no code', async () => {
  await using sso = await openSingleSignOn();
  const identity = withSecondFactors(sso.identity);
  const prepared = await identity.enrol('ada@example.com');
  const pending = await prepared.challenge();
  const linked = await sso.signIn();
  assert.deepEqual([linked.status, linked.user.id], [200, prepared.id]);
  const completed = await identity.complete(pending, prepared.code());
  assert.equal(completed.body['code'], 'access.challenge-gone');
  for (const table of ['second_factors', 'recovery_codes', 'sign_in_challenges'] as const)
    assert.deepEqual(await identity.db.selectFrom(table).selectAll().execute(), [], table);
  assert.equal((await sso.signIn()).status, 200);
});

test('nobody can set a password for a user without a password', async () => {
  await using sso = await openSingleSignOn();
  const { identity } = sso;
  const { user, token } = await sso.signIn();
  const root = await identity.person(ADMIN_EMAIL);
  const password = { password: 'another password 1234' };
  const answer = await identity.call('PATCH', `/users/${user.id}`, root.token, password);
  assert.equal(answer.status, 409);
  assert.equal(answer.body.code, 'access.no-password');
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 200);
});

test('a user without a verified address is not linked', async () => {
  await using sso = await openSingleSignOn();
  const { identity, provider } = sso;
  const { token } = await identity.person('ada@example.com');
  for (const email_verified of [false, 'true', undefined]) {
    provider.user = { sub: 'eve', email: 'ada@example.com', email_verified };
    const answer = await sso.signIn();
    assert.equal(answer.status, 403);
    assert.equal(answer.code, 'access.sso-email-unverified');
  }
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 200);
  assert.equal((await identity.signIn('ada@example.com')).status, 200);
});

test('a second identity with the address of a linked user is rejected', async () => {
  await using sso = await openSingleSignOn();
  const { identity, provider } = sso;
  const { token } = await sso.signIn();
  provider.user = { ...provider.user, sub: 'another' };
  const answer = await sso.signIn();
  assert.equal(answer.status, 403);
  assert.equal(answer.code, 'access.sso-address-linked');
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 200);
});

test('after an administrator unlinked a user, the next identity with the address is linked', async () => {
  await using sso = await openSingleSignOn({ adminGroups: ['admins'] });
  const { identity, provider } = sso;
  const root = await identity.person(ADMIN_EMAIL);
  provider.user = { ...provider.user, groups: ['admins'] };
  const { user, token } = await sso.signIn();
  const unlink = (id: string, as: string) =>
    identity.call('DELETE', `/users/${id}/single-sign-on`, as);
  assert.equal((await unlink(user.id.toUpperCase(), root.token)).status, 204);
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 401);
  assert.equal((await identity.users.show(user.id)).admin, false);

  provider.user = { ...provider.user, sub: 'another', groups: [] };
  const again = await sso.signIn();
  assert.equal(again.user.id, user.id);
  assert.equal((await unlink(user.id, again.token)).status, 403);
  assert.equal((await unlink(root.id, root.token)).status, 204);
  assert.equal((await identity.call('GET', '/auth/session', root.token)).status, 200);
  assert.equal((await unlink('0199f3a2-0000-7000-8000-000000000000', root.token)).status, 404);
});

test('a code that is redeemed while its user is unlinked leaves no session', async () => {
  await using sso = await openSingleSignOn();
  const { identity, provider } = sso;
  const root = await identity.person(ADMIN_EMAIL);
  const { user } = await sso.signIn();
  for (let delay = 0; delay < 12; delay += 1) {
    const browser = sso.browser();
    const started = await browser.get('/auth/sso/start?returnTo=/console');
    const { pathname, search } = provider.authorize(started.location);
    const code = codeOf(await browser.get(pathname + search));
    const redeemed = browser.redeem(code);
    // Each round starts the second request at another step of the first one.
    for (let step = 0; step < delay; step += 1) await setImmediate();
    const path = `/users/${user.id}/single-sign-on`;
    assert.equal((await identity.call('DELETE', path, root.token)).status, 204);
    await redeemed;
    const sessions = identity.db.selectFrom('sessions').select('id').where('user_id', '=', user.id);
    assert.deepEqual(await sessions.execute(), [], `delay ${delay}`);
  }
});

test('linking and unlinking end one-time links, and only an unlinked user can get a password', async () => {
  await using sso = await openSingleSignOn();
  const { identity } = sso;
  const root = await identity.person(ADMIN_EMAIL);
  const { id } = await identity.person('ada@example.com');
  const linkFor = async (purpose: 'reset' | 'sign-in') => {
    const link = await identity.oneTimeLinks.issue(purpose, { id });
    assert.ok(typeof link === 'object', String(link));
    return { token: link.token, password: NEW_PASSWORD };
  };
  const redeem = (body: object) => identity.call('POST', '/auth/redeem', undefined, body);
  const setPassword = () =>
    identity.call('PATCH', `/users/${id}`, root.token, { password: NEW_PASSWORD });
  const before = [await linkFor('reset'), await linkFor('sign-in')];
  assert.equal((await sso.signIn()).user.id, id);
  for (const body of before) assert.equal((await redeem(body)).status, 410);

  const reset = await identity.call('POST', `/users/${id}/reset-link`, root.token);
  assert.deepEqual([reset.status, reset.body.code], [409, 'access.no-password']);
  assert.equal((await setPassword()).status, 409);
  assert.equal((await identity.signIn('ada@example.com', NEW_PASSWORD)).status, 401);
  const linked = await linkFor('sign-in');
  await identity.call('DELETE', `/users/${id}/single-sign-on`, root.token);
  assert.equal((await redeem(linked)).status, 410);

  assert.equal((await redeem(await linkFor('reset'))).status, 200);
  assert.equal((await identity.signIn('ada@example.com', NEW_PASSWORD)).status, 200);
  assert.equal((await setPassword()).status, 200);
});

test('with password sign-in off, no link and no user sets a password', async () => {
  await using sso = await openSingleSignOn({}, { passwordSignIn: false });
  const { identity } = sso;
  const { token, user } = await sso.signIn();
  const off = async (answer: ReturnType<typeof identity.call>) => {
    const { status, body } = await answer;
    assert.deepEqual([status, body.code], [403, 'access.password-sign-in-off']);
  };
  const passwords = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  await off(identity.call('POST', '/auth/change-password', token, passwords));
  const link = await identity.oneTimeLinks.issue('sign-in', { id: user.id });
  assert.ok(typeof link === 'object');
  const redeem = (body: object) => identity.call('POST', '/auth/redeem', undefined, body);
  assert.equal((await redeem({ token: link.token })).status, 200);
  await identity.db.updateTable('users').set({ is_admin: 0 }).execute();
  const setup = await identity.oneTimeLinks.issueSetup();
  const eve = { email: 'eve@example.com', name: 'Eve', password: NEW_PASSWORD };
  await off(redeem({ token: setup?.token, ...eve }));
});

test('a disabled user stays disabled, whether linked or not', async () => {
  await using sso = await openSingleSignOn({ adminGroups: ['admins'] });
  const { identity, provider } = sso;
  provider.user = { ...provider.user, groups: ['admins'] };
  const root = await identity.person(ADMIN_EMAIL);
  const { id } = await identity.person('ada@example.com');
  const disable = (disabled: boolean) =>
    identity.call('PATCH', `/users/${id}`, root.token, { disabled });
  const assertRejected = async () => {
    const answer = await sso.signIn();
    assert.equal(answer.status, 403);
    assert.equal(answer.code, 'access.user-disabled');
    assert.equal((await identity.users.show(id)).admin, false);
  };
  await disable(true);
  await assertRejected();
  await disable(false);
  assert.equal((await identity.signIn('ada@example.com')).status, 200, 'the password still exists');
  provider.user = { ...provider.user, groups: [] };
  assert.equal((await sso.signIn()).status, 200);
  await disable(true);
  provider.user = { ...provider.user, groups: ['admins'] };
  await assertRejected();
});

test('concurrent first sign-ins of a person create one user', async () => {
  await using sso = await openSingleSignOn();
  const answers = await Promise.all([sso.signIn(), sso.signIn(), sso.signIn()]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal(new Set(answers.map(({ user }) => user.id)).size, 1);
});

test('a password check that is running while the user is linked creates no session', async () => {
  await using sso = await openSingleSignOn();
  const { identity } = sso;
  await identity.person('ada@example.com');
  const [password, linked] = await Promise.all([
    identity.signIn('ada@example.com', PASSWORD),
    sso.signIn(),
  ]);
  const sessions = await identity.db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', linked.user.id)
    .execute();
  assert.equal(sessions.length, 1);
  if (password.status === 200)
    assert.equal((await identity.call('GET', '/auth/session', password.body.token)).status, 401);
});

test('with password sign-in off, nobody signs in with a password', async () => {
  await using sso = await openSingleSignOn({}, { passwordSignIn: false });
  const { identity } = sso;
  for (const email of [ADMIN_EMAIL, 'nobody@example.com']) {
    const answer = await identity.signIn(email);
    assert.equal(answer.status, 403);
    assert.equal(answer.body.code, 'access.password-sign-in-off');
  }
  const methods = await identity.call('GET', '/auth/methods');
  assert.deepEqual(methods.body, { password: false, singleSignOn: true });
  assert.equal((await sso.signIn()).status, 200);
});

test('without an issuer, single sign-on is off', async () => {
  await using identity = await openIdentity();
  const answers = [
    await identity.call('GET', '/auth/sso/start'),
    await identity.call('GET', '/auth/sso/callback?code=a&state=b'),
    await identity.call('GET', '/auth/sso/sign-out'),
    await identity.call('POST', '/auth/sso/token', null, { code: 'a' }),
  ];
  for (const { status, body } of answers) {
    assert.equal(status, 404);
    assert.equal(body.code, 'access.sso-off');
  }
  const methods = await identity.call('GET', '/auth/methods');
  assert.deepEqual(methods.body, { password: true, singleSignOn: false });
});
