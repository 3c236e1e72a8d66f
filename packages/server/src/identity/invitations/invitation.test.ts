import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { ADMIN_EMAIL, BASE_URL } from '../identity.suite.ts';
import { openSpaces } from '../spaces.suite.ts';

const DAY_MS = 24 * 60 * 60_000;
const UNKNOWN_ID = '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5';
const NO_CLIENT = { address: '127.0.0.1', userAgent: null };
const NEW_PERSON = { name: 'Bo', password: 'a long first password' };

async function openInviting() {
  const identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { defaultBotId: botId } = await identity.newSpace(ada.token);
  const invite = (email: string, role = 'editor', as = ada.token) =>
    identity.call('POST', `/bots/${botId}/members`, as, { email, role });
  return Object.assign(identity, {
    ada,
    botId,
    invite,
    tokenFor: async (email: string, role?: string) => {
      const { status, body } = await invite(email, role);
      assert.equal(status, 201);
      return String(body['url']).split('#invitation=')[1] ?? '';
    },
    redeem: (token: string, members: object = {}, as: string | null = null) =>
      identity.call('POST', '/auth/redeem', as, { token, ...members }),
    roleOf: async (userId: string) =>
      (await identity.call('GET', `/bots/${botId}/members/${userId}`, ada.token)).body['role'],
    pending: async () =>
      (await identity.call('GET', `/bots/${botId}/invitations`, ada.token)).body.items,
  });
}

test('an invited person without an account gets an account and the role', async () => {
  await using identity = await openInviting();
  const { status, body } = await identity.invite('Bo@Example.com');
  assert.equal(status, 201);
  assert.deepEqual(Object.keys(body), ['id', 'email', 'role', 'url', 'expiresAt']);
  assert.deepEqual([body['email'], body['role']], ['bo@example.com', 'editor']);
  assert.equal(Date.parse(String(body['expiresAt'])), identity.now + 7 * DAY_MS);
  const [url, token = ''] = String(body['url']).split('#invitation=');
  assert.equal(url, `${BASE_URL}/console`);
  const missing = await identity.redeem(token);
  assert.equal(missing.status, 400);
  assert.deepEqual(
    missing.body.issues.map(({ message }) => message.split(':')[0]),
    ['name', 'password'],
  );
  const redeemed = await identity.redeem(token, { ...NEW_PERSON, email: 'bo@example.com' });
  assert.equal(redeemed.status, 200);
  assert.equal(redeemed.body.user['email'], 'bo@example.com');
  assert.equal(redeemed.body.user['admin'], false);
  assert.equal(await identity.roleOf(redeemed.body.user.id), 'editor');
  identity.now += 1;
  assert.equal((await identity.signIn('bo@example.com', NEW_PERSON.password)).status, 200);
  assert.equal((await identity.redeem(token, NEW_PERSON)).status, 410);
});

test('an invited user accepts with a session, and nobody else can accept', async () => {
  await using identity = await openInviting();
  const bob = await identity.person('bob@example.com');
  const eve = await identity.person('eve@example.com');
  const token = await identity.tokenFor('BOB@example.com', 'viewer');
  const without = await identity.redeem(token, NEW_PERSON);
  assert.deepEqual([without.status, without.body.code], [401, 'auth.sign-in-required']);
  for (const members of [{}, NEW_PERSON]) {
    const other = await identity.redeem(token, members, eve.token);
    assert.deepEqual([other.status, other.body.code], [403, 'auth.other-user']);
  }
  assert.equal((await identity.redeem(token, {}, 'unknown')).status, 401);
  const { status, body } = await identity.redeem(token, {}, bob.token);
  assert.deepEqual([status, body.user.id], [200, bob.id]);
  assert.equal((await identity.call('GET', '/auth/session', body.token)).status, 200);
  assert.equal(await identity.roleOf(bob.id), 'viewer');
  assert.equal((await identity.redeem(token, {}, bob.token)).status, 410);
});

test('the response to an invitation is the same for an address with an account', async () => {
  await using identity = await openInviting();
  await identity.person('bob@example.com');
  const answers = [
    await identity.invite('bob@example.com'),
    await identity.invite('bo@example.com'),
  ];
  const shown = answers.map(({ status, body, headers }) => ({
    status,
    members: Object.keys(body),
    length: headers['content-length'],
  }));
  assert.deepEqual(shown[0], { ...shown[1], length: String(Number(shown[1]?.length) + 1) });
  const [known = '', unknown = ''] = [
    await identity.tokenFor('bob@example.com'),
    await identity.tokenFor('bo@example.com'),
  ];
  const redeemed = [await identity.redeem(known), await identity.redeem(unknown)];
  assert.deepEqual(redeemed[0]?.body, redeemed[1]?.body);
});

test('a new invitation for the same bot and address replaces the earlier one', async () => {
  await using identity = await openInviting();
  const first = await identity.tokenFor('bo@example.com', 'owner');
  const second = await identity.tokenFor('BO@example.com', 'viewer');
  assert.equal((await identity.redeem(first, NEW_PERSON)).status, 410);
  assert.equal((await identity.pending()).length, 1);
  const { body } = await identity.redeem(second, NEW_PERSON);
  assert.equal(await identity.roleOf(body.user.id), 'viewer');
  assert.deepEqual(await identity.pending(), []);
});

test('an invitation expires after seven days', async () => {
  await using identity = await openInviting();
  const token = await identity.tokenFor('bo@example.com');
  identity.now += 7 * DAY_MS - 1;
  assert.equal((await identity.redeem(token)).status, 400);
  identity.now += 1;
  assert.equal((await identity.redeem(token, NEW_PERSON)).status, 410);
});

test('concurrent redemptions of an invitation create one user', async () => {
  await using identity = await openInviting();
  const token = await identity.tokenFor('bo@example.com');
  const answers = await Promise.all(
    ['one', 'two', 'three'].map((name) => identity.redeem(token, { ...NEW_PERSON, name })),
  );
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
  assert.ok(
    statuses.every((status) => [200, 401, 410].includes(status)),
    String(statuses),
  );
});

test('an invitation is void if the inviter is no longer an owner or is disabled', async () => {
  await using identity = await openInviting();
  const root = await identity.person(ADMIN_EMAIL);
  const bob = await identity.person('bob@example.com');
  await identity.setRole(identity.ada.token, identity.botId, bob.id, 'owner');
  const invited = await identity.invite('bo@example.com', 'viewer', bob.token);
  const token = String(invited.body['url']).split('#invitation=')[1] ?? '';
  await identity.setRole(identity.ada.token, identity.botId, bob.id, 'editor');
  assert.equal((await identity.redeem(token, NEW_PERSON)).status, 410);
  await identity.setRole(identity.ada.token, identity.botId, bob.id, 'owner');
  await identity.call('PATCH', `/users/${bob.id}`, root.token, { disabled: true });
  assert.equal((await identity.redeem(token, NEW_PERSON)).status, 410);
  await identity.call('PATCH', `/users/${bob.id}`, root.token, { disabled: false });
  assert.equal((await identity.redeem(token, NEW_PERSON)).status, 200);
});

test('an administrator can invite without a role on the bot', async () => {
  await using identity = await openInviting();
  const root = await identity.person(ADMIN_EMAIL);
  const { body } = await identity.invite('bo@example.com', 'owner', root.token);
  const token = String(body['url']).split('#invitation=')[1] ?? '';
  assert.equal((await identity.redeem(token, NEW_PERSON)).status, 200);
});

test('an invitation raises a role and never lowers it', async () => {
  await using identity = await openInviting();
  const { ada } = identity;
  assert.equal(
    (await identity.redeem(await identity.tokenFor('ada@example.com', 'viewer'), {}, ada.token))
      .status,
    200,
  );
  assert.equal(await identity.roleOf(ada.id), 'owner');
  const bob = await identity.person('bob@example.com');
  await identity.setRole(ada.token, identity.botId, bob.id, 'viewer');
  await identity.redeem(await identity.tokenFor('bob@example.com', 'editor'), {}, bob.token);
  assert.equal(await identity.roleOf(bob.id), 'editor');
});

test('a session that ends during the redemption of an invitation creates no other session', async () => {
  await using identity = await openInviting();
  const bob = await identity.person('bob@example.com');
  const token = await identity.tokenFor('bob@example.com');
  const request = { headers: { authorization: `Bearer ${bob.token}` } } as FastifyRequest;
  const caller = await identity.access.user(request);
  await identity.sessions.signOut(caller);
  await assert.rejects(identity.redemptions.redeem({ token }, caller, NO_CLIENT), {
    code: 'access.unknown-credential',
  });
  const left = identity.db.selectFrom('sessions').select('id').where('user_id', '=', bob.id);
  assert.deepEqual(await left.execute(), []);
  assert.equal(await identity.roleOf(bob.id), undefined);
  assert.equal((await identity.pending()).length, 1);
});

test('a disabled user cannot accept an invitation', async () => {
  await using identity = await openInviting();
  const root = await identity.person(ADMIN_EMAIL);
  const bob = await identity.person('bob@example.com');
  const token = await identity.tokenFor('bob@example.com');
  await identity.call('PATCH', `/users/${bob.id}`, root.token, { disabled: true });
  assert.equal((await identity.redeem(token, {}, bob.token)).status, 401);
  assert.equal((await identity.redeem(token, NEW_PERSON)).body.code, 'auth.sign-in-required');
});

test('pending invitations are listed in pages without their URLs and can be withdrawn', async () => {
  await using identity = await openInviting();
  const { ada, botId } = identity;
  const tokens = [];
  for (const name of ['a', 'b', 'c']) tokens.push(await identity.tokenFor(`${name}@example.com`));
  const path = `/bots/${botId}/invitations`;
  const first = (await identity.call('GET', `${path}?limit=2`, ada.token)).body;
  const second = (await identity.call('GET', `${path}?limit=2&after=${first.next}`, ada.token))
    .body;
  const items = [...first.items, ...second.items];
  assert.deepEqual(
    items.map((item) => item['email']),
    ['a@example.com', 'b@example.com', 'c@example.com'],
  );
  assert.equal(second.next, null);
  assert.deepEqual(Object.keys(items[0] ?? {}), ['id', 'email', 'role', 'createdAt', 'expiresAt']);
  const one = `${path}/${items[0]?.id.toUpperCase()}`;
  for (let n = 0; n < 2; n += 1)
    assert.equal((await identity.call('DELETE', one, ada.token)).status, 204);
  assert.equal((await identity.redeem(tokens[0] ?? '', NEW_PERSON)).status, 410);
  assert.equal((await identity.pending()).length, 2);
  const unknown = await identity.call('DELETE', `${path}/${UNKNOWN_ID}`, ada.token);
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'spaces.invitation-not-found']);
});

test('an owner cannot withdraw the invitation of another bot', async () => {
  await using identity = await openInviting();
  const eve = await identity.person('eve@example.com');
  const other = await identity.newSpace(eve.token);
  const { id } = (await identity.invite('bo@example.com')).body;
  const path = `/bots/${other.defaultBotId}/invitations/${id}`;
  assert.equal((await identity.call('DELETE', path, eve.token)).status, 404);
  assert.equal((await identity.pending()).length, 1);
});

test('only an owner can invite, and an invalid address is rejected', async () => {
  await using identity = await openInviting();
  const bob = await identity.person('bob@example.com');
  await identity.setRole(identity.ada.token, identity.botId, bob.id, 'editor');
  assert.equal((await identity.invite('bo@example.com', 'viewer', bob.token)).status, 403);
  for (const email of ['', 'bo', 'bo@localhost', `${'b'.repeat(250)}@a.de`, 'b\u0000@example.com'])
    assert.equal((await identity.invite(email)).status, 400, email);
  assert.equal((await identity.invite('bo@example.com', 'king')).status, 400);
});

test('deleting the bot or its space ends invitations', async () => {
  await using identity = await openInviting();
  const { ada } = identity;
  const space = await identity.newSpace(ada.token);
  const { body } = await identity.call('POST', `/bots/${space.defaultBotId}/members`, ada.token, {
    email: 'bo@example.com',
    role: 'viewer',
  });
  const token = String(body['url']).split('#invitation=')[1] ?? '';
  await identity.call('DELETE', `/spaces/${space.id}`, ada.token);
  assert.equal((await identity.redeem(token, NEW_PERSON)).status, 401);
});

test('the token of an invitation is neither stored nor logged', async () => {
  await using identity = await openInviting();
  const token = await identity.tokenFor('bo@example.com');
  const rows = await identity.db.selectFrom('invitations').selectAll().execute();
  assert.equal(rows.length, 1);
  assert.ok(!(JSON.stringify(rows) + identity.logLines.join('')).includes(token));
});
