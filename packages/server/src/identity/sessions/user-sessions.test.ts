import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '../../../tests/support/until.ts';
import { ADMIN_EMAIL, openIdentity, PASSWORD } from '../identity.suite.ts';

const DAY_MS = 24 * 3600 * 1000;
const UNKNOWN_ID = '0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5';

async function openWithSessions() {
  const identity = await openIdentity();
  const one = await identity.person('ada@example.com');
  const other = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  return Object.assign(identity, {
    one,
    other,
    bob,
    list: async (token: string, query = '') =>
      (await identity.call('GET', `/auth/sessions${query}`, token)).body,
    isLive: async (token: string) =>
      (await identity.call('GET', '/auth/session', token)).status === 200,
  });
}

test('users see only their own sessions, with times, address and client', async () => {
  await using identity = await openWithSessions();
  const signedIn = await identity.app.inject({
    method: 'POST',
    url: '/auth/sign-in/email',
    headers: { 'user-agent': 'x'.repeat(600) },
    payload: { email: 'ada@example.com', password: PASSWORD },
  });
  const { items } = await identity.list(signedIn.json().token);
  assert.equal(items.length, 3);
  assert.equal(items.filter((item) => item['current'] === false).length, 2);
  const current = items.find((item) => item['current'] === true);
  assert.deepEqual(
    { ...current, id: null, lastUsedAt: null },
    {
      id: null,
      createdAt: new Date(identity.now).toISOString(),
      lastUsedAt: null,
      expiresAt: new Date(identity.now + 7 * DAY_MS).toISOString(),
      address: '127.0.0.1',
      userAgent: 'x'.repeat(500),
      current: true,
    },
  );
  assert.ok(!JSON.stringify(items).includes(identity.one.token));
});

test('the last use of a session is recorded to the minute', async () => {
  await using identity = await openWithSessions();
  const { one } = identity;
  identity.now += 3_600_000;
  const minute = Math.floor(identity.now / 60_000) * 60_000;
  await until('the use is recorded', async () => {
    const { items } = await identity.list(one.token);
    const item = items.find((session) => session['current'] === true);
    return Date.parse(String(item?.lastUsedAt)) === minute;
  });
});

test('sessions are listed in pages, without expired sessions', async () => {
  await using identity = await openWithSessions();
  const { one } = identity;
  const first = await identity.list(one.token, '?limit=1');
  const second = await identity.list(one.token, `?limit=1&after=${first.next}`);
  const shown = [...first.items, ...second.items];
  assert.equal(new Set(shown.map(({ id }) => id)).size, 2);
  assert.equal(second.next, null);
  await identity.db
    .updateTable('sessions')
    .set({ expires_at: new Date(identity.now).toISOString() })
    .where('id', '=', shown.find((item) => item['current'] === false)?.id ?? '')
    .execute();
  assert.equal((await identity.list(one.token)).items.length, 1);
});

test('users end one of their sessions, but not a session of another user', async () => {
  await using identity = await openWithSessions();
  const { one, other, bob } = identity;
  const items = (await identity.list(one.token)).items;
  const id = items.find((item) => item['current'] === false)?.id ?? '';
  const path = `/auth/sessions/${id.toUpperCase()}`;
  const stranger = await identity.call('DELETE', path, bob.token);
  assert.deepEqual([stranger.status, stranger.body.code], [404, 'access.session-not-found']);
  assert.ok(await identity.isLive(other.token));
  assert.equal((await identity.call('DELETE', path, one.token)).status, 204);
  assert.ok(!(await identity.isLive(other.token)));
  assert.ok(await identity.isLive(one.token));
  assert.equal((await identity.call('DELETE', path, one.token)).status, 404);
  const unknown = await identity.call('DELETE', `/auth/sessions/${UNKNOWN_ID}`, one.token);
  assert.equal(unknown.status, 404);
});

test('users end all of their other sessions', async () => {
  await using identity = await openWithSessions();
  const { one, other, bob } = identity;
  assert.equal((await identity.call('DELETE', '/auth/sessions', one.token)).status, 204);
  assert.ok(await identity.isLive(one.token));
  assert.ok(!(await identity.isLive(other.token)));
  assert.ok(await identity.isLive(bob.token));
});

test('an administrator lists the sessions of a user', async () => {
  await using identity = await openWithSessions();
  const { one, bob } = identity;
  const root = await identity.person(ADMIN_EMAIL);
  const path = `/users/${one.id.toUpperCase()}/sessions`;
  const first = (await identity.call('GET', `${path}?limit=1`, root.token)).body;
  const second = (await identity.call('GET', `${path}?limit=1&after=${first.next}`, root.token))
    .body;
  const own = (await identity.list(one.token)).items;
  const shown = [...first.items, ...second.items];
  assert.deepEqual(
    shown.map(({ id }) => id),
    own.map(({ id }) => id),
  );
  assert.deepEqual(
    shown.map((item) => item['current']),
    [false, false],
  );
  assert.equal((await identity.call('GET', path, bob.token)).status, 403);
  const mine = (await identity.call('GET', `/users/${root.id}/sessions`, root.token)).body;
  assert.deepEqual(
    mine.items.map((item) => item['current']),
    [true],
  );
  const unknown = await identity.call('GET', `/users/${UNKNOWN_ID}/sessions`, root.token);
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'access.user-not-found']);
});

test('an administrator ends all sessions of a user, who can sign in again', async () => {
  await using identity = await openWithSessions();
  const { one, other, bob } = identity;
  const root = await identity.person(ADMIN_EMAIL);
  const path = `/users/${one.id.toUpperCase()}/sessions`;
  assert.equal((await identity.call('DELETE', path, bob.token)).status, 403);
  assert.equal((await identity.call('DELETE', path, root.token)).status, 204);
  assert.ok(!(await identity.isLive(one.token)) && !(await identity.isLive(other.token)));
  assert.ok((await identity.isLive(bob.token)) && (await identity.isLive(root.token)));
  assert.equal((await identity.signIn('ada@example.com')).status, 200);
  const unknown = await identity.call('DELETE', `/users/${UNKNOWN_ID}/sessions`, root.token);
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'access.user-not-found']);
});
