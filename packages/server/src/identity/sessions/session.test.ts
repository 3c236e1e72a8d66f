import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_WRITES } from '../../storage/ports/index.ts';
import { tokenHash } from '../access/credential.rules.ts';
import { ADMIN_EMAIL, openIdentity, PASSWORD } from '../identity.suite.ts';
import { newChallenge } from '../second-factor/challenge.rules.ts';
import { createSessionRepository } from './session.repository.ts';
import { createSessions } from './session.service.ts';

const DAY_MS = 24 * 3600 * 1000;

test('sign-in creates a session and returns the user', async () => {
  await using identity = await openIdentity();
  const signedIn = await identity.signIn(ADMIN_EMAIL);
  assert.equal(signedIn.status, 200);
  const { token, user } = signedIn.body;
  assert.deepEqual(Object.keys(user), ['id', 'email', 'name', 'admin', 'disabled', 'createdAt']);
  assert.equal(user.admin, true);
  const shown = await identity.call('GET', '/auth/session', token);
  assert.equal(shown.status, 200);
  assert.deepEqual(shown.body.user, user);
  assert.equal(Date.parse(String(shown.body.expiresAt)), identity.now + 7 * DAY_MS);
});

test('sign-in ignores the letter case of the email address', async () => {
  await using identity = await openIdentity();
  await identity.users.create(
    { email: 'Ada@Example.com', name: 'Ada', password: PASSWORD },
    NO_WRITES,
  );
  assert.equal((await identity.signIn('aDA@exaMPLE.com')).status, 200);
});

test('sign-in returns the same error for a wrong password, an unknown or invalid email and a disabled user', async () => {
  await using identity = await openIdentity();
  const { id } = await identity.person('ada@example.com');
  const root = await identity.person(ADMIN_EMAIL);
  await identity.call('PATCH', `/users/${id}`, root.token, { disabled: true });
  const answers = [
    await identity.signIn(ADMIN_EMAIL, 'wrong horse battery'),
    await identity.signIn('nobody@example.com'),
    await identity.signIn('nobody'),
    await identity.signIn('ada@example.com'),
  ];
  for (const { status, body } of answers) {
    assert.equal(status, 401);
    assert.deepEqual(body, answers[0]?.body);
    assert.equal(body.code, 'access.sign-in-failed');
  }
});

test('neither session tokens nor passwords are stored in plain text', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person('ada@example.com');
  const sessions = await identity.db.selectFrom('sessions').selectAll().execute();
  const accounts = await identity.db.selectFrom('accounts').selectAll().execute();
  const text = JSON.stringify([sessions, accounts]);
  assert.ok(!text.includes(token));
  assert.ok(!text.includes(PASSWORD));
  for (const session of sessions) assert.match(session.token, /^[0-9a-f]{64}$/);
  for (const account of accounts)
    assert.match(String(account.password), /^[0-9a-f]{32}:[0-9a-f]{128}$/);
  assert.ok(!identity.logLines.join('').includes(token));
  assert.ok(!identity.logLines.join('').includes(PASSWORD));
});

test('the stored hash of a session token is rejected as a credential', async () => {
  await using identity = await openIdentity();
  await identity.person('ada@example.com');
  const [session] = await identity.db.selectFrom('sessions').select('token').execute();
  assert.equal((await identity.call('GET', '/auth/session', session?.token)).status, 401);
});

test('sign-out ends only that session, immediately', async () => {
  await using identity = await openIdentity();
  const one = await identity.person('ada@example.com');
  const other = await identity.person('ada@example.com');
  assert.equal((await identity.call('GET', '/auth/session', one.token)).status, 200);
  assert.equal((await identity.call('POST', '/auth/sign-out', one.token)).status, 204);
  assert.equal((await identity.call('GET', '/auth/session', one.token)).status, 401);
  assert.equal((await identity.call('POST', '/auth/sign-out', one.token)).status, 401);
  assert.equal((await identity.call('GET', '/auth/session', other.token)).status, 200);
});

test("a session expires after seven days and is deleted at the user's next sign-in", async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person('ada@example.com');
  identity.now += 7 * DAY_MS - 1;
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 200);
  identity.now += 1;
  const over = await identity.call('GET', '/auth/session', token);
  assert.equal(over.status, 401);
  assert.equal(over.body.code, 'access.unknown-credential');
  assert.equal(over.headers['www-authenticate'], 'Bearer');
  await identity.person('ada@example.com');
  assert.equal((await identity.db.selectFrom('sessions').select('id').execute()).length, 1);
});

test('sign-ins are limited per network address', async () => {
  await using identity = await openIdentity({ signInsPerMinute: 2 });
  await identity.signIn('nobody@example.com');
  await identity.signIn('nobody@example.com');
  const third = await identity.signIn('nobody@example.com');
  assert.equal(third.status, 429);
  assert.ok(Number(third.headers['retry-after']) > 0);
});

test('a session token in a cookie or in the query string is not a credential', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person('ada@example.com');
  const names = ['better-auth.session_token', '__Secure-better-auth.session_token', 'session'];
  const cookie = names.map((name) => `${name}=${token}`).join('; ');
  for (const url of ['/auth/session', `/auth/session?access_token=${token}`]) {
    const answer = await identity.app.inject({ url, headers: { cookie } });
    assert.equal(answer.statusCode, 401, url);
    assert.equal(answer.json().code, 'access.no-credential');
  }
});

test('the routes of better-auth are not served', async () => {
  await using identity = await openIdentity();
  for (const path of ['/api/auth/sign-in/email', '/api/auth/get-session', '/auth/sign-up/email'])
    assert.equal((await identity.call('POST', path, null, {})).status, 404);
});

test('sign-in creates no session if the password changes in the meantime', async () => {
  await using identity = await openIdentity();
  const { id } = await identity.person('ada@example.com');
  const sessions = createSessions({
    repository: createSessionRepository(identity.db),
    auth: async () => ({
      ...unused,
      signIn: async (email) => {
        const { token } = (await identity.signIn(email)).body;
        const earlier = new Date(identity.now - 1000).toISOString();
        await identity.db
          .updateTable('accounts')
          .set({ password: 'another hash', updated_at: earlier })
          .where('user_id', '=', id)
          .execute();
        const [createdAt, updatedAt] = [new Date(identity.now), new Date(identity.now)];
        const user = { id, email, name: 'Ada', emailVerified: false, admin: false };
        return { token, user: { ...user, createdAt, updatedAt }, redirect: false };
      },
    }),
    throttle: identity.throttle,
    showUser: identity.users.show,
    passwordSignIn: true,
    mayRecordFailure: () => true,
    clock: () => identity.now,
    forget: identity.forget,
  });
  const before = await identity.db.selectFrom('sessions').select('id').execute();
  await assert.rejects(sessions.signIn('ada@example.com', PASSWORD, NO_CLIENT), {
    code: 'access.sign-in-failed',
  });
  assert.deepEqual(await identity.db.selectFrom('sessions').select('id').execute(), before);
});

test('sign-in waits for a password change that has not been committed', async () => {
  await using identity = await openIdentity();
  const { id, token } = await identity.person('ada@example.com');
  const repository = createSessionRepository(identity.db);
  const passwordHash = await repository.passwordHash('ada@example.com');
  assert.ok(passwordHash !== null);
  const changed = Promise.withResolvers<void>();
  const waited = Promise.withResolvers<void>();
  const change = identity.db.transaction().execute(async (trx) => {
    await trx
      .updateTable('accounts')
      .set({ password: 'another hash' })
      .where('user_id', '=', id)
      .execute();
    changed.resolve();
    await waited.promise;
  });
  await changed.promise;
  const session = { tokenHash: tokenHash(token), userId: id, passwordHash };
  const confirmed = repository.confirm(session, NO_CLIENT, newChallenge('unused', identity.now));
  assert.equal(await Promise.race([confirmed, sleep(50, 'waits')]), 'waits');
  waited.resolve();
  await change;
  assert.equal(await confirmed, 'password-changed');
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 401);
});

test('a session is not confirmed for a user who had no password', async () => {
  await using identity = await openIdentity();
  const { id, token } = await identity.person('ada@example.com');
  await identity.db
    .updateTable('accounts')
    .set({ password: null })
    .where('user_id', '=', id)
    .execute();
  const repository = createSessionRepository(identity.db);
  const passwordHash = await repository.passwordHash('ada@example.com');
  assert.equal(passwordHash, null);
  const session = { tokenHash: tokenHash(token), userId: id, passwordHash };
  const challenge = newChallenge('unused', identity.now);
  assert.equal(await repository.confirm(session, NO_CLIENT, challenge), 'password-changed');
  assert.equal((await identity.call('GET', '/auth/session', token)).status, 401);
});

const NO_CLIENT = { address: '127.0.0.1', userAgent: null };

const unused = {
  hashPassword: () => Promise.reject(new Error('not used')),
  verifyPassword: () => Promise.reject(new Error('not used')),
};
