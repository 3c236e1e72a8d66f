import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_EMAIL, openIdentity, PASSWORD } from '../identity.suite.ts';

const NEW = 'another horse battery';
const CHANGE = { currentPassword: PASSWORD, newPassword: NEW };
const PATH = '/auth/change-password';

test("changing the password ends the user's other sessions and keeps the session that changed it", async () => {
  await using identity = await openIdentity();
  const one = await identity.person('ada@example.com');
  const other = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  assert.equal((await identity.call('POST', PATH, one.token, CHANGE)).status, 204);
  assert.equal((await identity.call('GET', '/auth/session', one.token)).status, 200);
  assert.equal((await identity.call('GET', '/auth/session', other.token)).status, 401);
  assert.equal((await identity.call('GET', '/auth/session', bob.token)).status, 200);
  identity.now += 1;
  assert.equal((await identity.signIn('ada@example.com')).status, 401);
  assert.equal((await identity.signIn('ada@example.com', NEW)).status, 200);
});

test('a wrong current password is rejected and counts as a failed sign-in', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person('ada@example.com');
  const wrong = { ...CHANGE, currentPassword: 'wrong horse battery' };
  for (let n = 0; n < 10; n += 1) {
    const { status, body } = await identity.call('POST', PATH, token, wrong);
    assert.deepEqual([status, body.code], [403, 'access.wrong-password']);
  }
  const blocked = await identity.call('POST', PATH, token, CHANGE);
  assert.deepEqual([blocked.status, blocked.body.code], [429, 'access.too-many-failures']);
  assert.equal(blocked.headers['retry-after'], '60');
  assert.equal((await identity.signIn('ada@example.com')).status, 429);
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 200);
});

test('a new password has 12 to 128 characters and differs from the current password', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person('ada@example.com');
  for (const newPassword of ['x'.repeat(11), 'x'.repeat(129), PASSWORD, undefined, 12])
    assert.equal(
      (await identity.call('POST', PATH, token, { ...CHANGE, newPassword })).status,
      400,
      String(newPassword),
    );
  const longest = { ...CHANGE, newPassword: 'x'.repeat(128) };
  assert.equal((await identity.call('POST', PATH, token, longest)).status, 204);
  const shortest = { currentPassword: longest.newPassword, newPassword: 'x'.repeat(12) };
  assert.equal((await identity.call('POST', PATH, token, shortest)).status, 204);
});

test('only one of two concurrent changes succeeds', async () => {
  await using identity = await openIdentity();
  const one = await identity.person('ada@example.com');
  const other = await identity.person('ada@example.com');
  const answers = await Promise.all([
    identity.call('POST', PATH, one.token, CHANGE),
    identity.call('POST', PATH, other.token, { ...CHANGE, newPassword: 'a third horse battery' }),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [204, 403]);
});

test('password changes are limited per network address, because hashing is slow', async () => {
  await using identity = await openIdentity({ signInsPerMinute: 2 });
  const { token } = (await identity.signIn(ADMIN_EMAIL)).body;
  const statuses = [];
  for (const [currentPassword, newPassword] of [
    [PASSWORD, NEW],
    [NEW, PASSWORD],
    [PASSWORD, NEW],
  ]) {
    const change = { currentPassword, newPassword };
    statuses.push((await identity.call('POST', PATH, token, change)).status);
  }
  assert.deepEqual(statuses, [204, 204, 429]);
});

test('a user without a password gets 409', async () => {
  await using identity = await openIdentity();
  const ada = await identity.person('ada@example.com');
  await identity.db.deleteFrom('accounts').where('user_id', '=', ada.id).execute();
  const answer = await identity.call('POST', PATH, ada.token, CHANGE);
  assert.deepEqual([answer.status, answer.body.code], [409, 'access.no-password']);
});

test('changing the password ends the reset links of the user', async () => {
  await using identity = await openIdentity();
  const root = await identity.person(ADMIN_EMAIL);
  const ada = await identity.person('ada@example.com');
  const issued = await identity.call('POST', `/users/${ada.id}/reset-link`, root.token);
  const [, token = ''] = String(issued.body['url']).split('#reset=');
  await identity.call('POST', PATH, ada.token, CHANGE);
  const answer = await identity.call('POST', '/auth/redeem', null, { token, password: PASSWORD });
  assert.deepEqual([answer.status, answer.body.code], [410, 'auth.link-gone']);
});
