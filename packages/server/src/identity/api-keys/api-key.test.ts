import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { openSpaces } from '../spaces.suite.ts';

const HOUR_MS = 3_600_000;

test('a key is shown once, and the store only has its hash', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id } = await house.newSpace(ada.token);
  const url = `/spaces/${id}/api-keys`;
  const made = await house.call('POST', url, ada.token, { name: 'shop', scopes: ['read'] });
  assert.equal(made.status, 201);
  const { key, ...rest } = made.body;
  assert.match(key, /^gh_[A-Za-z0-9_-]{43}$/);
  assert.equal(rest.prefix, key.slice(0, 7));
  assert.deepEqual((await house.call('GET', `${url}/${rest.id}`, ada.token)).body, rest);
  assert.deepEqual((await house.call('GET', url, ada.token)).body, { items: [rest], next: null });
  const stored = JSON.stringify(await house.db.selectFrom('api_keys').selectAll().execute());
  assert.ok(!stored.includes(key));
  assert.ok(!house.logLines.join('').includes(key));
});

test('a key works in both headers, and a revoked one is refused by the next request', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id } = await house.newSpace(ada.token);
  const url = `/spaces/${id}/api-keys`;
  const made = await house.call('POST', url, ada.token, { name: 'shop', scopes: ['read'] });
  const { key, id: keyId } = made.body;
  assert.equal((await house.call('GET', '/spaces', key)).status, 200);
  const headers = { 'x-api-key': key };
  assert.equal((await house.app.inject({ url: '/spaces', headers })).statusCode, 200);
  assert.equal((await house.call('DELETE', `${url}/${keyId}`, ada.token)).status, 204);
  const refused = await house.call('GET', '/spaces', key);
  assert.equal(refused.status, 401);
  assert.equal(refused.body.code, 'access.unknown-credential');
  assert.equal((await house.call('DELETE', `${url}/${keyId}`, ada.token)).status, 404);
});

test('an expiry must be in the future, and a key ends at it', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id } = await house.newSpace(ada.token);
  const make = (expiresAt: unknown) =>
    house.call('POST', `/spaces/${id}/api-keys`, ada.token, {
      name: 'shop',
      scopes: ['read'],
      expiresAt,
    });
  const late = await make(new Date(house.now).toISOString());
  assert.equal(late.status, 400);
  assert.match(late.body.issues[0]?.message ?? '', /^expiresAt: must be in the future/);
  assert.equal((await make('tomorrow')).status, 400);
  assert.equal((await make(null)).body.expiresAt, null);
  const expiresAt = new Date(house.now + HOUR_MS).toISOString();
  const made = await make(expiresAt);
  assert.equal(made.body.expiresAt, expiresAt);
  house.now += HOUR_MS - 1;
  assert.equal((await house.call('GET', '/spaces', made.body.key)).status, 200);
  house.now += 1;
  assert.equal((await house.call('GET', '/spaces', made.body.key)).status, 401);
});

test('a key is renamed, and its scopes stay', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id } = await house.newSpace(ada.token);
  const url = `/spaces/${id}/api-keys`;
  const made = await house.call('POST', url, ada.token, { name: 'shop', scopes: ['read'] });
  const keyUrl = `${url}/${made.body.id}`;
  const renamed = await house.call('PATCH', keyUrl, ada.token, { name: 'blue' });
  assert.equal(renamed.body.name, 'blue');
  assert.deepEqual(renamed.body.scopes, ['read']);
});

test('a key of another space under the path of this one is 404', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const one = await house.newSpace(ada.token);
  const other = await house.newSpace(ada.token);
  const body = { name: 'shop', scopes: ['read'] };
  const made = await house.call('POST', `/spaces/${other.id}/api-keys`, ada.token, body);
  const url = `/spaces/${one.id}/api-keys/${made.body.id}`;
  assert.equal((await house.call('GET', url, ada.token)).status, 404);
  assert.equal((await house.call('PATCH', url, ada.token, { name: 'x' })).status, 404);
  assert.equal((await house.call('DELETE', url, ada.token)).status, 404);
  assert.equal((await house.call('GET', '/spaces', made.body.key)).status, 200);
});

test('viewers and keys neither see nor make keys', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const bob = await house.person('bob@example.com');
  const { id, defaultBotId } = await house.newSpace(ada.token);
  await house.give(ada.token, defaultBotId, bob.id, 'viewer');
  const key = await house.newKey(ada.token, id, ['read', 'links:write']);
  const body = { name: 'x', scopes: ['read'] };
  for (const token of [bob.token, key]) {
    assert.equal((await house.call('GET', `/spaces/${id}/api-keys`, token)).status, 403);
    assert.equal((await house.call('POST', `/spaces/${id}/api-keys`, token, body)).status, 403);
  }
  await house.give(ada.token, defaultBotId, bob.id, 'editor');
  assert.equal((await house.call('GET', `/spaces/${id}/api-keys`, bob.token)).status, 200);
});

test('the last use of a key is kept to the minute, without a write for each request', async () => {
  await using house = await openSpaces();
  const ada = await house.person('ada@example.com');
  const { id } = await house.newSpace(ada.token);
  const key = await house.newKey(ada.token, id, ['read']);
  const lastUse = async () => {
    const { body } = await house.call('GET', `/spaces/${id}/api-keys`, ada.token);
    return body.items[0]?.lastUsedAt;
  };
  assert.equal(await lastUse(), null);
  const minute = Math.floor(house.now / 60_000) * 60_000;
  for (const [seconds, expected] of [
    [1, minute],
    [59, minute],
    [60, minute + 60_000],
  ] as const) {
    house.now = minute + seconds * 1000;
    house.forget();
    assert.equal((await house.call('GET', '/spaces', key)).status, 200);
    while (Date.parse((await lastUse()) ?? '1970-01-01T00:00:00Z') < expected) await setImmediate();
    assert.equal(await lastUse(), new Date(expected).toISOString());
  }
});
