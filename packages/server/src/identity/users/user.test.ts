import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN_EMAIL, openIdentity, PASSWORD } from '../identity.suite.ts';

const ADA = { email: 'Ada@Example.com', name: 'Ada', password: PASSWORD };

test('an administrator creates a user who can sign in', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person(ADMIN_EMAIL);
  const made = await identity.call('POST', '/users', token, ADA);
  assert.equal(made.status, 201);
  assert.equal(made.body.email, 'ada@example.com');
  assert.equal(made.body.admin, false);
  assert.match(made.body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.equal((await identity.signIn('ada@example.com')).status, 200);
  assert.deepEqual((await identity.call('GET', `/users/${made.body.id}`, token)).body, made.body);
  const upper = await identity.call('GET', `/users/${made.body.id.toUpperCase()}`, token);
  assert.deepEqual(upper.body, made.body);
});

test('an email address is unique in any letter case, even with concurrent requests', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person(ADMIN_EMAIL);
  const answers = await Promise.all([
    identity.call('POST', '/users', token, ADA),
    identity.call('POST', '/users', token, { ...ADA, email: 'ADA@example.com' }),
  ]);
  assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [201, 409]);
  const taken = answers.find((answer) => answer.status === 409);
  assert.equal(taken?.body.code, 'access.email-taken');
  assert.equal((await identity.db.selectFrom('accounts').select('id').execute()).length, 2);
});

test('all problems of a new user are reported at once', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person(ADMIN_EMAIL);
  const answer = await identity.call('POST', '/users', token, { email: 'ada', password: 'short' });
  assert.equal(answer.status, 400);
  assert.equal(answer.body.code, 'access.invalid');
  const messages = answer.body.issues.map((issue: { message: string }) => issue.message);
  for (const start of ['email: must be an email', 'name: is required', 'password: must have'])
    assert.ok(
      messages.some((message: string) => message.startsWith(start)),
      start,
    );
});

test('users are listed in pages', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person(ADMIN_EMAIL);
  for (const name of ['a', 'b', 'c', 'd']) await identity.person(`${name}@example.com`);
  const first = await identity.call('GET', '/users?limit=3', token);
  assert.equal(first.body.items.length, 3);
  const second = await identity.call('GET', `/users?limit=3&after=${first.body.next}`, token);
  assert.equal(second.body.items.length, 2);
  assert.equal(second.body.next, null);
  const ids = [...first.body.items, ...second.body.items].map((user) => user.id);
  assert.equal(new Set(ids).size, 5);
  for (const cursor of ['x', 'AAAA', Buffer.from('1').toString('base64url')]) {
    const answer = await identity.call('GET', `/users?after=${cursor}`, token);
    assert.equal(answer.status, 400);
    assert.match(answer.body.issues[0]?.message ?? '', /^after: /);
  }
});

test('a search finds users by a part of the name or email address, in any case and script', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person(ADMIN_EMAIL);
  const names = { bo: 'Bo Äpfel', ada: 'ada 100%_\\ MÜLLER', li: '李明', ivan: 'Иван Петров' };
  for (const [user, name] of Object.entries(names)) {
    const { id } = await identity.person(`${user}@example.com`);
    await identity.call('PATCH', `/users/${id}`, token, { name });
  }
  const found = async (search: string) => {
    const url = `/users?search=${encodeURIComponent(search)}`;
    const { items } = (await identity.call('GET', url, token)).body;
    return items.map(({ email }) => String(email).split('@')[0]).join();
  };
  const expected = {
    'ADA@example': 'ada',
    'o ä': 'bo',
    müller: 'ada',
    'mu ller': '',
    ивАН: 'ivan',
    明: 'li',
    '100%': 'ada',
    '0_': '',
    '_\\ m': 'ada',
    '%': 'ada',
    İ: '',
    example: 'root,bo,ada,li,ivan',
  };
  for (const [search, users] of Object.entries(expected))
    assert.equal(await found(search), users, search);
  assert.equal((await identity.call('GET', '/users?search=', token)).status, 400);
});

test('a search returns full pages, however few of many users match', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person(ADMIN_EMAIL);
  const time = new Date(identity.now).toISOString();
  const users = Array.from({ length: 2100 }, (_, number) => ({
    id: `${String(number).padStart(8, '0')}-0000-7000-8000-000000000000`,
    email: `user${number}@example.com`,
    name: number % 700 === 99 ? `Zoë ${number}` : `Zoe ${number}`,
    email_verified: 0,
    is_admin: 0,
    created_at: time,
    updated_at: time,
  }));
  await identity.db.insertInto('users').values(users.slice(0, 1050)).execute();
  await identity.db.insertInto('users').values(users.slice(1050)).execute();
  for (const search of ['ZOË', 'zoe 99', 'zoe 1']) {
    const all = users.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
    const found: unknown[] = [];
    let next: string | null = '';
    for (let page = 0; next !== null; page++) {
      const after: string = page === 0 ? '' : `&after=${next}`;
      const url = `/users?limit=2&search=${encodeURIComponent(search)}${after}`;
      const { body } = await identity.call('GET', url, token);
      assert.ok(body.items.length === 2 || body.next === null);
      found.push(...body.items.map(({ id }) => id));
      next = found.length < 20 ? body.next : null;
    }
    assert.deepEqual(found, all.map(({ id }) => id).slice(0, 20), search);
  }
});

test('administrators get 404 for an unknown user', async () => {
  await using identity = await openIdentity();
  const { token } = await identity.person(ADMIN_EMAIL);
  const url = '/users/0199f3a2-5b0d-7c11-8a22-90f1d2c3b4a5';
  assert.equal((await identity.call('GET', url, token)).status, 404);
  assert.equal((await identity.call('PATCH', url, token, { name: 'x' })).status, 404);
});

test('only administrators may view and change users', async () => {
  await using identity = await openIdentity();
  const ada = await identity.person('ada@example.com');
  const url = `/users/${ada.id}`;
  const answers = [
    await identity.call('POST', '/users', ada.token, ADA),
    await identity.call('GET', '/users', ada.token),
    await identity.call('GET', url, ada.token),
    await identity.call('PATCH', url, ada.token, { admin: true }),
  ];
  for (const { status, body } of answers) {
    assert.equal(status, 403);
    assert.equal(body.code, 'access.forbidden');
  }
  assert.equal((await identity.call('GET', '/users')).status, 401);
});

test('disabling a user ends their sessions immediately, and enabling does not restore them', async () => {
  await using identity = await openIdentity();
  const root = await identity.person(ADMIN_EMAIL);
  const ada = await identity.person('ada@example.com');
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).status, 200);
  const disabled = await identity.call('PATCH', `/users/${ada.id}`, root.token, { disabled: true });
  assert.equal(disabled.body.disabled, true);
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).status, 401);
  assert.equal((await identity.signIn('ada@example.com')).status, 401);
  await identity.call('PATCH', `/users/${ada.id}`, root.token, { disabled: false });
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).status, 401);
  assert.equal((await identity.signIn('ada@example.com')).status, 200);
});

test("a new password ends the user's sessions and replaces the old password", async () => {
  await using identity = await openIdentity();
  const root = await identity.person(ADMIN_EMAIL);
  const ada = await identity.person('ada@example.com');
  const password = 'another horse battery';
  const changed = await identity.call('PATCH', `/users/${ada.id}`, root.token, { password });
  assert.equal(changed.status, 200);
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).status, 401);
  assert.equal((await identity.signIn('ada@example.com')).status, 401);
  identity.now += 1;
  assert.equal((await identity.signIn('ada@example.com', password)).status, 200);
});

test('renaming a user does not end their sessions', async () => {
  await using identity = await openIdentity();
  const root = await identity.person(ADMIN_EMAIL);
  const ada = await identity.person('ada@example.com');
  const changed = await identity.call('PATCH', `/users/${ada.id}`, root.token, { name: 'Ada L.' });
  assert.equal(changed.body.name, 'Ada L.');
  assert.equal((await identity.call('GET', '/auth/session', ada.token)).body.user.name, 'Ada L.');
});

test('promotions and demotions take effect immediately', async () => {
  await using identity = await openIdentity();
  const root = await identity.person(ADMIN_EMAIL);
  const ada = await identity.person('ada@example.com');
  assert.equal((await identity.call('GET', '/users', ada.token)).status, 403);
  await identity.call('PATCH', `/users/${ada.id}`, root.token, { admin: true });
  assert.equal((await identity.call('GET', '/users', ada.token)).status, 200);
  await identity.call('PATCH', `/users/${ada.id}`, root.token, { admin: false });
  assert.equal((await identity.call('GET', '/users', ada.token)).status, 403);
});

test('administrators cannot disable or demote themselves', async () => {
  await using identity = await openIdentity();
  const root = await identity.person(ADMIN_EMAIL);
  for (const change of [{ disabled: true }, { admin: false }]) {
    const answer = await identity.call('PATCH', `/users/${root.id}`, root.token, change);
    assert.equal(answer.status, 409);
    assert.equal(answer.body.code, 'access.own-account');
  }
  const harmless = await identity.call('PATCH', `/users/${root.id}`, root.token, { admin: true });
  assert.equal(harmless.status, 200);
});

test('two administrators who demote each other concurrently leave one administrator', async () => {
  await using identity = await openIdentity();
  const root = await identity.person(ADMIN_EMAIL);
  const ada = await identity.person('ada@example.com');
  await identity.call('PATCH', `/users/${ada.id}`, root.token, { admin: true });
  const answers = await Promise.all([
    identity.call('PATCH', `/users/${ada.id}`, root.token, { admin: false }),
    identity.call('PATCH', `/users/${root.id}`, ada.token, { admin: false }),
  ]);
  assert.deepEqual(answers.map((answer) => answer.status).toSorted(), [200, 403]);
});

test('the first administrator is created only if there is no user', async () => {
  await using identity = await openIdentity();
  const given = { email: 'Boss@Example.com', password: PASSWORD };
  await identity.users.ensureAdministrator(given);
  assert.equal((await identity.signIn('boss@example.com')).status, 401);
  await identity.db.deleteFrom('users').execute();
  await Promise.all([given, given].map(identity.users.ensureAdministrator));
  const signedIn = await identity.signIn('boss@example.com');
  assert.equal(signedIn.body.user.admin, true);
});
