import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_EMAIL, openRoom, PASSWORD } from '../identity.suite.ts';
import { createSessionRepository } from './session.repository.ts';
import { createSessions } from './session.service.ts';

const DAY_MS = 24 * 3600 * 1000;

test('a person signs in and is told who they are', async () => {
  await using room = await openRoom();
  const signedIn = await room.signIn(ADMIN_EMAIL);
  assert.equal(signedIn.status, 200);
  const { token, user } = signedIn.body;
  assert.deepEqual(Object.keys(user), ['id', 'email', 'name', 'admin', 'disabled', 'createdAt']);
  assert.equal(user.admin, true);
  const shown = await room.call('GET', '/auth/session', token);
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body.user, user);
  assert.equal(Date.parse(String(shown.body.expiresAt)), room.now + 7 * DAY_MS);
});

test('the letter case of an e-mail address does not matter', async () => {
  await using room = await openRoom();
  await room.users.create({ email: 'Ada@Example.com', name: 'Ada', password: PASSWORD });
  assert.equal((await room.signIn('aDA@exaMPLE.com')).status, 200);
});

test('a wrong password, an unknown address, no address at all and a disabled user get one answer', async () => {
  await using room = await openRoom();
  const { id } = await room.person('ada@example.com');
  const root = await room.person(ADMIN_EMAIL);
  await room.call('PATCH', `/users/${id}`, root.token, { disabled: true });
  const answers = [
    await room.signIn(ADMIN_EMAIL, 'wrong horse battery'),
    await room.signIn('nobody@example.com'),
    await room.signIn('nobody'),
    await room.signIn('ada@example.com'),
  ];
  for (const { status, body } of answers) {
    assert.equal(status, 401);
    assert.deepEqual(body, answers[0]?.body);
    assert.equal(body.code, 'access.sign-in-failed');
  }
});

test('the store holds no session token and no password', async () => {
  await using room = await openRoom();
  const { token } = await room.person('ada@example.com');
  const sessions = await room.db.selectFrom('sessions').selectAll().execute();
  const accounts = await room.db.selectFrom('accounts').selectAll().execute();
  const text = JSON.stringify([sessions, accounts]);
  assert.ok(!text.includes(token));
  assert.ok(!text.includes(PASSWORD));
  for (const session of sessions) assert.match(session.token, /^[0-9a-f]{64}$/);
  for (const account of accounts)
    assert.match(String(account.password), /^[0-9a-f]{32}:[0-9a-f]{128}$/);
  assert.ok(!room.logLines.join('').includes(token));
  assert.ok(!room.logLines.join('').includes(PASSWORD));
});

test('the hash of a session token, as the store has it, opens nothing', async () => {
  await using room = await openRoom();
  await room.person('ada@example.com');
  const [session] = await room.db.selectFrom('sessions').select('token').execute();
  assert.equal((await room.call('GET', '/auth/session', session?.token)).status, 401);
});

test('signing out ends that session at once and no other', async () => {
  await using room = await openRoom();
  const one = await room.person('ada@example.com');
  const other = await room.person('ada@example.com');
  assert.equal((await room.call('GET', '/auth/session', one.token)).status, 200);
  assert.equal((await room.call('POST', '/auth/sign-out', one.token)).status, 204);
  assert.equal((await room.call('GET', '/auth/session', one.token)).status, 401);
  assert.equal((await room.call('POST', '/auth/sign-out', one.token)).status, 401);
  assert.equal((await room.call('GET', '/auth/session', other.token)).status, 200);
});

test('a session ends after seven days, used or not, and its row goes at the next sign-in', async () => {
  await using room = await openRoom();
  const { token } = await room.person('ada@example.com');
  room.now += 7 * DAY_MS - 1;
  assert.equal((await room.call('GET', '/auth/session', token)).status, 200);
  room.now += 1;
  const over = await room.call('GET', '/auth/session', token);
  assert.equal(over.status, 401);
  assert.equal(over.body.code, 'access.unknown-credential');
  assert.equal(over.headers['www-authenticate'], 'Bearer');
  await room.person('ada@example.com');
  assert.equal((await room.db.selectFrom('sessions').select('id').execute()).length, 1);
});

test('signing in is limited for one address', async () => {
  await using room = await openRoom({ signInsPerMinute: 2 });
  await room.signIn('nobody@example.com');
  await room.signIn('nobody@example.com');
  const third = await room.signIn('nobody@example.com');
  assert.equal(third.status, 429);
  assert.ok(Number(third.headers['retry-after']) > 0);
});

test('no route of better-auth itself is served', async () => {
  await using room = await openRoom();
  for (const path of ['/api/auth/sign-in/email', '/api/auth/get-session', '/auth/sign-up/email'])
    assert.equal((await room.call('POST', path, null, {})).status, 404);
});

test('a password that is changed while somebody signs in with the old one leaves no session', async () => {
  await using room = await openRoom();
  const { id } = await room.person('ada@example.com');
  const sessions = createSessions({
    repository: createSessionRepository(room.db),
    auth: async () => ({
      ...unused,
      signIn: async (email) => {
        const { token } = (await room.signIn(email)).body;
        room.now += 1000;
        const updated_at = new Date(room.now).toISOString();
        await room.db
          .updateTable('accounts')
          .set({ updated_at })
          .where('user_id', '=', id)
          .execute();
        const [createdAt, updatedAt] = [new Date(room.now), new Date(room.now)];
        const user = { id, email, name: 'Ada', emailVerified: false, admin: false };
        return { token, user: { ...user, createdAt, updatedAt }, redirect: false };
      },
    }),
    showUser: room.users.show,
    clock: () => room.now,
    forget: room.forget,
  });
  const before = await room.db.selectFrom('sessions').select('id').execute();
  await assert.rejects(sessions.signIn('ada@example.com', PASSWORD), {
    code: 'access.sign-in-failed',
  });
  assert.deepEqual(await room.db.selectFrom('sessions').select('id').execute(), before);
});

const unused = {
  hashPassword: () => Promise.reject(new Error('not used')),
  createUser: () => Promise.reject(new Error('not used')),
};
