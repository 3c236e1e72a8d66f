import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../lib/scheduling/index.ts';
import { actingFrom, OPERATOR } from '../../platform/audit/index.ts';
import { NO_WRITES } from '../../storage/ports/index.ts';
import { ADMIN_EMAIL, BASE_URL, openIdentity, PASSWORD } from '../identity.suite.ts';
import type { IssuedLink } from './one-time-link.service.ts';

const MINUTE_MS = 60_000;
const NEW = 'another horse battery';
const EVE = { email: 'Eve@Example.com', name: 'Eve', password: PASSWORD };

function issued(link: IssuedLink | string | null): IssuedLink {
  assert.ok(link !== null && typeof link === 'object', String(link));
  return link;
}

/** Opens an installation without users. */
async function openEmpty() {
  const identity = await openIdentity();
  await identity.db.deleteFrom('users').execute();
  const redeem = (token: string, members: object = {}) =>
    identity.call('POST', '/auth/redeem', null, { token, ...members });
  return Object.assign(identity, { redeem });
}

async function openWithAda() {
  const identity = await openIdentity();
  const ada = await identity.person('ada@example.com');
  const root = await identity.person(ADMIN_EMAIL);
  const redeem = (token: string, members: object = {}) =>
    identity.call('POST', '/auth/redeem', null, { token, ...members });
  return Object.assign(identity, { ada, root, redeem });
}

test('a setup link creates the first administrator and signs them in', async () => {
  await using identity = await openEmpty();
  const { token, expiresAt } = issued(await identity.oneTimeLinks.issueSetup());
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(expiresAt, identity.now + DAY_MS);
  const { status, body } = await identity.redeem(token, EVE);
  assert.equal(status, 200);
  assert.equal(body.user['email'], 'eve@example.com');
  assert.equal(body.user['admin'], true);
  const session = await identity.call('GET', '/auth/session', body.token);
  assert.deepEqual(session.body.user, body.user);
  assert.equal(Date.parse(String(session.body['expiresAt'])), identity.now + 7 * DAY_MS);
  identity.now += 1;
  assert.equal((await identity.signIn('eve@example.com')).status, 200);
  assert.equal((await identity.redeem(token, EVE)).status, 410);
  assert.equal(await identity.oneTimeLinks.issueSetup(), null);
});

test('a setup link needs all members and reports all that are missing', async () => {
  await using identity = await openEmpty();
  const { token } = issued(await identity.oneTimeLinks.issueSetup());
  const { status, body } = await identity.redeem(token, { name: 'Eve' });
  assert.equal(status, 400);
  assert.deepEqual(
    body.issues.map(({ message }) => message.split(':')[0]),
    ['email', 'password'],
  );
  assert.equal((await identity.redeem(token, { ...EVE, email: 'eve' })).status, 400);
  assert.equal((await identity.redeem(token, { ...EVE, password: 'short' })).status, 400);
  assert.equal((await identity.redeem(token, EVE)).status, 200);
});

test('a new setup link replaces the earlier one, and it expires after 24 hours', async () => {
  await using identity = await openEmpty();
  const first = issued(await identity.oneTimeLinks.issueSetup());
  const second = issued(await identity.oneTimeLinks.issueSetup());
  assert.equal((await identity.redeem(first.token, EVE)).status, 410);
  identity.now += DAY_MS - 1;
  assert.equal((await identity.redeem(second.token, { ...EVE, name: '' })).status, 400);
  identity.now += 1;
  assert.equal((await identity.redeem(second.token, EVE)).status, 410);
});

test('two concurrent redemptions of setup links create one administrator', async () => {
  await using identity = await openEmpty();
  const { token } = issued(await identity.oneTimeLinks.issueSetup());
  const answers = await Promise.all([
    identity.redeem(token, EVE),
    identity.redeem(token, { ...EVE, email: 'mallory@example.com' }),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 410]);
  assert.equal((await identity.db.selectFrom('users').select('id').execute()).length, 1);
});

test('a setup link is dead as soon as an administrator exists, and rejects the address of a user', async () => {
  await using identity = await openEmpty();
  const { token } = issued(await identity.oneTimeLinks.issueSetup());
  await identity.users.create(EVE, NO_WRITES);
  const taken = await identity.redeem(token, EVE);
  assert.deepEqual([taken.status, taken.body.code], [409, 'access.email-taken']);
  await identity.db.updateTable('users').set({ is_admin: 1 }).execute();
  const gone = await identity.redeem(token, { ...EVE, email: 'mallory@example.com' });
  assert.deepEqual([gone.status, gone.body.code], [410, 'auth.link-gone']);
});

test('a reset link replaces the password, ends all sessions and unblocks the account', async () => {
  await using identity = await openWithAda();
  const { ada, root } = identity;
  const answer = await identity.call(
    'POST',
    `/users/${ada.id.toUpperCase()}/reset-link`,
    root.token,
  );
  assert.equal(answer.status, 201);
  assert.deepEqual(Object.keys(answer.body), ['url', 'expiresAt']);
  assert.equal(Date.parse(String(answer.body['expiresAt'])), identity.now + DAY_MS);
  const [url, token = ''] = String(answer.body['url']).split('#reset=');
  assert.equal(url, `${BASE_URL}/console`);
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).status, 200);
  for (let n = 0; n < 10; n += 1) await identity.signIn('ada@example.com', NEW);
  assert.equal((await identity.signIn('ada@example.com')).status, 429);
  assert.equal((await identity.redeem(token)).status, 400);
  const { status, body } = await identity.redeem(token, { password: NEW });
  assert.equal(status, 200);
  assert.equal(body.user.id, ada.id);
  assert.equal((await identity.call('GET', '/auth/session', body.token)).status, 200);
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).status, 401);
  identity.now += 1;
  assert.equal((await identity.signIn('ada@example.com')).status, 401);
  assert.equal((await identity.signIn('ada@example.com', NEW)).status, 200);
});

test('a reset link is single-use, also for concurrent redemptions', async () => {
  await using identity = await openWithAda();
  const link = await identity.oneTimeLinks.issue('reset', { id: identity.ada.id });
  const { token } = issued(link);
  const answers = await Promise.all(
    ['one', 'two', 'three'].map((n) => identity.redeem(token, { password: `${NEW} ${n}` })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 410, 410]);
});

test('a new reset link replaces the earlier one, and a reset ends a sign-in link', async () => {
  await using identity = await openWithAda();
  const { id } = identity.ada;
  const first = issued(await identity.oneTimeLinks.issue('reset', { id }));
  const signIn = issued(await identity.oneTimeLinks.issue('sign-in', { id }));
  const second = issued(await identity.oneTimeLinks.issue('reset', { id }));
  assert.equal((await identity.redeem(first.token, { password: NEW })).status, 410);
  assert.equal((await identity.redeem(second.token, { password: NEW })).status, 200);
  assert.equal((await identity.redeem(signIn.token)).status, 410);
});

test('a sign-in link is valid for five minutes and signs in once', async () => {
  await using identity = await openWithAda();
  const email = 'ADA@example.com';
  const first = issued(await identity.oneTimeLinks.issue('sign-in', { email }));
  assert.equal(first.expiresAt, identity.now + 5 * MINUTE_MS);
  identity.now += 5 * MINUTE_MS - 1;
  const { status, body } = await identity.redeem(first.token);
  assert.deepEqual([status, body.user.id], [200, identity.ada.id]);
  assert.equal((await identity.call('GET', '/auth/session', identity.ada.token)).status, 200);
  assert.equal((await identity.redeem(first.token)).status, 410);
  const second = issued(await identity.oneTimeLinks.issue('sign-in', { email }));
  identity.now += 5 * MINUTE_MS;
  assert.equal((await identity.redeem(second.token)).status, 410);
});

test('links of a disabled user are dead, even after the user is enabled again', async () => {
  await using identity = await openWithAda();
  const { ada, root } = identity;
  const { token } = issued(await identity.oneTimeLinks.issue('reset', { id: ada.id }));
  await identity.call('PATCH', `/users/${ada.id}`, root.token, { disabled: true });
  assert.equal((await identity.redeem(token, { password: NEW })).status, 410);
  const path = `/users/${ada.id}/reset-link`;
  const refused = await identity.call('POST', path, root.token);
  assert.deepEqual([refused.status, refused.body.code], [409, 'access.user-disabled']);
  assert.equal(await identity.oneTimeLinks.issue('sign-in', { id: ada.id }), 'disabled-user');
  await identity.call('PATCH', `/users/${ada.id}`, root.token, { disabled: false });
  assert.equal((await identity.redeem(token, { password: NEW })).status, 410);
});

test('a reset link is void while the administrator who created it is demoted or disabled', async () => {
  await using identity = await openWithAda();
  const { ada, root } = identity;
  const mallory = await identity.person('mallory@example.com');
  const change = (members: object) =>
    identity.call('PATCH', `/users/${mallory.id}`, root.token, members);
  const create = async (as: string) => {
    const made = await identity.call('POST', `/users/${ada.id}/reset-link`, as);
    const [, token = ''] = String(made.body['url']).split('#reset=');
    return token;
  };
  const redeem = (token: string) => identity.redeem(token, { password: NEW });
  await create(root.token);
  for (const [end, undo] of [
    [{ admin: false }, { admin: true }],
    [{ disabled: true }, { disabled: false }],
  ] as const) {
    await change({ admin: true });
    const { body } = await identity.signIn('mallory@example.com');
    const token = await create(body.token);
    assert.equal((await change(end)).status, 200);
    const rejected = await redeem(token);
    assert.deepEqual([rejected.status, rejected.body.code], [410, 'auth.link-gone']);
    await change(undo);
    assert.equal((await redeem(token)).status, 200);
    await change({ admin: false });
    assert.equal((await redeem(await create(root.token))).status, 200);
  }
  const ofOperator = await actingFrom(OPERATOR, () =>
    identity.oneTimeLinks.issue('reset', { id: ada.id }),
  );
  assert.equal((await redeem(issued(ofOperator).token)).status, 200);
});

test('a reset link gives a password to a user who has none', async () => {
  await using identity = await openWithAda();
  const { id } = identity.ada;
  await identity.db.deleteFrom('accounts').where('user_id', '=', id).execute();
  const { token } = issued(await identity.oneTimeLinks.issue('reset', { id }));
  assert.equal((await identity.redeem(token, { password: NEW })).status, 200);
  identity.now += 1;
  assert.equal((await identity.signIn('ada@example.com', NEW)).status, 200);
});

test('an unknown token gets 401, and so does a link 30 days after its expiry', async () => {
  await using identity = await openWithAda();
  const { id } = identity.ada;
  const { token } = issued(await identity.oneTimeLinks.issue('sign-in', { id }));
  for (const wrong of ['x', 'A'.repeat(43), token.slice(1), `${token}=`, 'a'.repeat(200)]) {
    const { status, body } = await identity.redeem(wrong, { password: NEW });
    assert.deepEqual([status, body.code], [401, 'auth.link-unknown'], wrong);
  }
  for (const wrong of ['', 'a'.repeat(201), 'a\u0000', null, 7])
    assert.equal((await identity.redeem(wrong as string)).status, 400);
  identity.now += 31 * DAY_MS;
  assert.equal((await identity.redeem(token)).status, 410);
  await identity.oneTimeLinks.issue('sign-in', { id });
  assert.equal((await identity.redeem(token)).status, 401);
});

test('an email address that is not the address of the link is rejected', async () => {
  await using identity = await openWithAda();
  const { id } = identity.ada;
  const { token } = issued(await identity.oneTimeLinks.issue('sign-in', { id }));
  assert.equal((await identity.redeem(token, { email: ADMIN_EMAIL })).status, 400);
  assert.equal((await identity.redeem(token, { email: 'ADA@example.com' })).status, 200);
});

test('redemptions are limited per network address', async () => {
  await using identity = await openIdentity({ signInsPerMinute: 2 });
  const redeem = () => identity.call('POST', '/auth/redeem', null, { token: 'x' });
  const answers = [await redeem(), await redeem(), await redeem()];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 429],
  );
});

test('neither tokens of links nor tokens of their sessions are stored or logged', async () => {
  await using identity = await openWithAda();
  const { id } = identity.ada;
  const { token } = issued(await identity.oneTimeLinks.issue('sign-in', { id }));
  const { body } = await identity.redeem(token);
  assert.match(body.token, /^[0-9a-f]{64}$/);
  const links = await identity.db.selectFrom('one_time_links').selectAll().execute();
  const sessions = await identity.db.selectFrom('sessions').selectAll().execute();
  const text = JSON.stringify([links, sessions]) + identity.logLines.join('');
  assert.equal(links.length, 1);
  for (const secret of [token, body.token]) assert.ok(!text.includes(secret));
});
