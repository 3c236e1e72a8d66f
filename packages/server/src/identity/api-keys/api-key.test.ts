import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openSpaces } from '../spaces.suite.ts';

const HOUR_MS = 3_600_000;

test('a key is returned only when it is created, and only its hash is stored', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const url = `/spaces/${id}/api-keys`;
  const made = await identity.call('POST', url, ada.token, { name: 'shop', scopes: ['read'] });
  assert.equal(made.status, 201);
  const { key, ...rest } = made.body;
  assert.match(key, /^gh_[A-Za-z0-9_-]{43}$/);
  assert.equal(rest.prefix, key.slice(0, 7));
  assert.deepEqual((await identity.call('GET', `${url}/${rest.id}`, ada.token)).body, rest);
  assert.deepEqual((await identity.call('GET', url, ada.token)).body, {
    items: [rest],
    next: null,
  });
  const stored = JSON.stringify(await identity.db.selectFrom('api_keys').selectAll().execute());
  assert.ok(!stored.includes(key));
  assert.ok(!identity.logLines.join('').includes(key));
});

test('a key is accepted in both headers and rejected immediately after its revocation', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const url = `/spaces/${id}/api-keys`;
  const made = await identity.call('POST', url, ada.token, { name: 'shop', scopes: ['read'] });
  const { key, id: keyId } = made.body;
  assert.equal((await identity.call('GET', '/spaces', key)).status, 200);
  const headers = { 'x-api-key': key };
  assert.equal((await identity.app.inject({ url: '/spaces', headers })).statusCode, 200);
  assert.equal((await identity.call('DELETE', `${url}/${keyId}`, ada.token)).status, 204);
  const rejected = await identity.call('GET', '/spaces', key);
  assert.equal(rejected.status, 401);
  assert.equal(rejected.body.code, 'access.unknown-credential');
  assert.equal((await identity.call('DELETE', `${url}/${keyId}`, ada.token)).status, 404);
});

test('the expiry of a key must be in the future, and the key is rejected after its expiry', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const make = (expiresAt: unknown) =>
    identity.call('POST', `/spaces/${id}/api-keys`, ada.token, {
      name: 'shop',
      scopes: ['read'],
      expiresAt,
    });
  const late = await make(new Date(identity.now).toISOString());
  assert.equal(late.status, 400);
  assert.match(late.body.issues[0]?.message ?? '', /^expiresAt: must be in the future/);
  assert.equal((await make('tomorrow')).status, 400);
  assert.equal((await make(null)).body.expiresAt, null);
  const expiresAt = new Date(identity.now + HOUR_MS).toISOString();
  const made = await make(expiresAt);
  assert.equal(made.body.expiresAt, expiresAt);
  identity.now += HOUR_MS - 1;
  assert.equal((await identity.call('GET', '/spaces', made.body.key)).status, 200);
  identity.now += 1;
  assert.equal((await identity.call('GET', '/spaces', made.body.key)).status, 401);
});

test('an expiry that is not an instant from year 0 to 9999 is rejected', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  for (const expiresAt of [
    '2999-12-31T23:59:60Z',
    '2999-01-01T00:00:00Z[Europe/Paris]',
    '9999-12-31T23:59:59-23:59',
  ]) {
    const key = { name: 'shop', scopes: ['read'], expiresAt };
    const { status, body } = await identity.call('POST', `/spaces/${id}/api-keys`, ada.token, key);
    assert.equal(status, 400, expiresAt);
    assert.match(body.issues[0]?.message ?? '', /^expiresAt: must be a time such as 2026-/);
  }
});

test('renaming a key does not change its scopes', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const url = `/spaces/${id}/api-keys`;
  const made = await identity.call('POST', url, ada.token, { name: 'shop', scopes: ['read'] });
  const keyUrl = `${url}/${made.body.id}`;
  const renamed = await identity.call('PATCH', keyUrl, ada.token, { name: 'blue' });
  assert.equal(renamed.body.name, 'blue');
  assert.deepEqual(renamed.body.scopes, ['read']);
});

test('a key of another space gets 404', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const one = await identity.newSpace(ada.token);
  const other = await identity.newSpace(ada.token);
  const body = { name: 'shop', scopes: ['read'] };
  const made = await identity.call('POST', `/spaces/${other.id}/api-keys`, ada.token, body);
  const url = `/spaces/${one.id}/api-keys/${made.body.id}`;
  assert.equal((await identity.call('GET', url, ada.token)).status, 404);
  assert.equal((await identity.call('PATCH', url, ada.token, { name: 'x' })).status, 404);
  assert.equal((await identity.call('DELETE', url, ada.token)).status, 404);
  assert.equal((await identity.call('GET', '/spaces', made.body.key)).status, 200);
});

test('viewers and API keys must not list or create keys', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const bob = await identity.person('bob@example.com');
  const { id, defaultBotId } = await identity.newSpace(ada.token);
  await identity.setRole(ada.token, defaultBotId, bob.id, 'viewer');
  const key = await identity.newKey(ada.token, id, ['read', 'links:write']);
  const body = { name: 'x', scopes: ['read'] };
  for (const token of [bob.token, key]) {
    assert.equal((await identity.call('GET', `/spaces/${id}/api-keys`, token)).status, 403);
    assert.equal((await identity.call('POST', `/spaces/${id}/api-keys`, token, body)).status, 403);
  }
  await identity.setRole(ada.token, defaultBotId, bob.id, 'editor');
  assert.equal((await identity.call('GET', `/spaces/${id}/api-keys`, bob.token)).status, 200);
});

test('the last use of a key is recorded at most once per minute', async () => {
  await using identity = await openSpaces();
  const ada = await identity.person('ada@example.com');
  const { id } = await identity.newSpace(ada.token);
  const key = await identity.newKey(ada.token, id, ['read']);
  const lastUse = async () => {
    const { body } = await identity.call('GET', `/spaces/${id}/api-keys`, ada.token);
    return body.items[0]?.lastUsedAt;
  };
  assert.equal(await lastUse(), null);
  const minute = Math.floor(identity.now / 60_000) * 60_000;
  for (const [seconds, expected] of [
    [1, minute],
    [59, minute],
    [60, minute + 60_000],
  ] as const) {
    identity.now = minute + seconds * 1000;
    identity.forget();
    assert.equal((await identity.call('GET', '/spaces', key)).status, 200);
    while (Date.parse((await lastUse()) ?? '1970-01-01T00:00:00Z') < expected) await setImmediate();
    assert.equal(await lastUse(), new Date(expected).toISOString());
  }
});
