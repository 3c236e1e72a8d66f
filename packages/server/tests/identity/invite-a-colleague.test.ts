import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveRole, makeSpace, makeUser, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client } = await serviceOfThisFile();
const admin = await signIn(client);
const ada = await makeUser(client, admin, 'ada');
const adaSession = await signIn(client, ada);
const space = await makeSpace(client, adaSession, { name: 'Shop of Ada' });

test('a new user sees no space until a colleague assigns a role', async () => {
  const bob = await makeUser(client, admin, 'bob');
  const session = await signIn(client, bob);
  assert.deepEqual((await client('/spaces', { as: session })).json['items'], []);
  assert.equal((await client(`/spaces/${space.id}`, { as: session })).status, 403);

  await giveRole(client, adaSession, space.botId, bob.id, 'viewer');
  const spaces = (await client('/spaces', { as: session })).json['items'] as { id: string }[];
  assert.deepEqual(
    spaces.map(({ id }) => id),
    [space.id],
  );
});

test('a role change takes effect immediately', async () => {
  const cleo = await makeUser(client, admin, 'cleo');
  const session = await signIn(client, cleo);
  const rename = async () => {
    const change = { method: 'PATCH', as: session, body: { name: 'Shop of Cleo' } };
    return (await client(`/spaces/${space.id}`, change)).status;
  };
  const member = `/bots/${space.botId}/members/${cleo.id}`;

  await giveRole(client, adaSession, space.botId, cleo.id, 'viewer');
  assert.equal(await rename(), 403);
  await giveRole(client, adaSession, space.botId, cleo.id, 'editor');
  assert.equal(await rename(), 200);
  await giveRole(client, adaSession, space.botId, cleo.id, 'viewer');
  assert.equal(await rename(), 403);
  assert.equal((await client(member, { method: 'DELETE', as: adaSession })).status, 204);
  assert.equal((await client(`/spaces/${space.id}`, { as: session })).status, 403);
  assert.equal((await client(member, { as: adaSession })).json['code'], 'spaces.member-not-found');
});

test('an editor cannot make themselves an owner, and the last owner cannot step down', async () => {
  const dan = await makeUser(client, admin, 'dan');
  await giveRole(client, adaSession, space.botId, dan.id, 'editor');
  const put = { method: 'PUT', body: { role: 'owner' } };
  const own = `/bots/${space.botId}/members/${dan.id}`;
  assert.equal((await client(own, { ...put, as: await signIn(client, dan) })).status, 403);

  const last = `/bots/${space.botId}/members/${ada.id}`;
  const left = await client(last, { method: 'DELETE', as: adaSession });
  assert.equal(left.status, 409);
  assert.equal(left.json['code'], 'spaces.last-owner');
});

test('disabling a user ends their sessions, and after being enabled again the user must sign in', async () => {
  const eve = await makeUser(client, admin, 'eve');
  await giveRole(client, adaSession, space.botId, eve.id, 'owner');
  const session = await signIn(client, eve);
  const sessionStatus = async () => (await client('/auth/session', { as: session })).status;
  const disable = (disabled: boolean) =>
    client(`/users/${eve.id}`, { method: 'PATCH', as: admin, body: { disabled } });
  assert.equal(await sessionStatus(), 200);

  assert.equal((await disable(true)).json['disabled'], true);
  assert.equal(await sessionStatus(), 401);
  const { email, password } = eve;
  const rejected = await client('/auth/sign-in/email', { body: { email, password } });
  assert.equal(rejected.json['code'], 'access.sign-in-failed');

  await disable(false);
  assert.equal(await sessionStatus(), 401, 'the old session is not restored');
  assert.equal((await client('/auth/session', { as: await signIn(client, eve) })).status, 200);
});

test('changing a password ends all sessions of the user', async () => {
  const fay = await makeUser(client, admin, 'fay');
  const session = await signIn(client, fay);
  assert.equal((await client('/auth/session', { as: session })).status, 200);
  const password = 'another password 1234';
  await client(`/users/${fay.id}`, { method: 'PATCH', as: admin, body: { password } });
  assert.equal((await client('/auth/session', { as: session })).status, 401);
  const { email } = fay;
  const old = await client('/auth/sign-in/email', { body: { email, password: fay.password } });
  assert.equal(old.status, 401);
  assert.ok(await signIn(client, { email, password }));
});

test('an email address is unique in any letter case, and administrators cannot demote themselves', async () => {
  await makeUser(client, admin, 'gil');
  const duplicate = { email: 'GIL@example.com', name: 'Gil', password: 'gil-password-1234' };
  const taken = await client('/users', { as: admin, body: duplicate });
  assert.equal(taken.json['code'], 'access.email-taken');

  const { user } = (await client('/auth/session', { as: admin })).json as { user: { id: string } };
  const demote = { method: 'PATCH', as: admin, body: { admin: false } };
  assert.equal((await client(`/users/${user.id}`, demote)).json['code'], 'access.own-account');
});

test('a demoted administrator immediately loses all administrator rights', async () => {
  const hal = await makeUser(client, admin, 'hal');
  const session = await signIn(client, hal);
  const promote = (isAdmin: boolean) =>
    client(`/users/${hal.id}`, { method: 'PATCH', as: admin, body: { admin: isAdmin } });
  const mayList = async () => (await client('/users', { as: session })).status;
  assert.equal(await mayList(), 403);
  await promote(true);
  assert.equal(await mayList(), 200);
  await promote(false);
  assert.equal(await mayList(), 403);
});
