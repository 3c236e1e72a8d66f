import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeKey, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { client } = await serviceOfThisFile();
const session = await signIn(client);

async function newKey() {
  const { id: spaceId } = await makeSpace(client, session);
  const key = await makeKey(client, session, spaceId, ['events:write', 'read']);
  const keys = await client(`/spaces/${spaceId}/api-keys`, { as: session });
  const [{ id }] = keys.json['items'] as [{ id: string }];
  const path = `/spaces/${spaceId}/api-keys/${id}`;
  const revoke = async () => (await client(path, { method: 'DELETE', as: session })).status;
  return { spaceId, key, path, revoke };
}

const event = (id: string) => ({
  specversion: '1.0',
  id,
  source: 'https://shop.example/orders',
  type: 'example.order.paid',
});

test('a key is accepted in both headers and is rejected immediately after revocation', async () => {
  const { key, revoke } = await newKey();
  const inHeader = { headers: { 'x-api-key': key } };
  assert.equal((await client('/events', { as: key })).status, 200);
  assert.equal((await client('/events', inHeader)).status, 200);
  assert.equal(await revoke(), 204);
  for (const send of [{ as: key }, inHeader]) {
    const rejected = await client('/events', send);
    assert.equal(rejected.status, 401);
    assert.equal(rejected.json['code'], 'access.unknown-credential');
  }
});

test('a revoked key in the body is rejected', async () => {
  const { key, revoke } = await newKey();
  const beside = { body: { auth: { apiKey: key }, events: [event('a')] } };
  const inside = { body: { events: [{ ...event('b'), auth: { apiKey: key } }] } };
  assert.equal((await client('/events', beside)).json['processed'], 1);
  assert.equal((await client('/events', inside)).json['processed'], 1);
  await revoke();
  assert.equal((await client('/events', beside)).json['code'], 'events.unknown-credential');
  assert.equal((await client('/events', inside)).json['code'], 'events.no-credential');
});

test('a key that is revoked during many requests is rejected in every later request', async () => {
  const { spaceId, key, revoke } = await newKey();
  let revokedAt = Number.POSITIVE_INFINITY;
  let accepted = 0;
  const late: number[] = [];
  const sender = async (name: string) => {
    for (let n = 0; ; n += 1) {
      const startedAt = performance.now();
      const body = { events: [event(`${name}-${n}`)] };
      const { status } = await client('/events', { as: key, body });
      if (status === 401) return;
      accepted += 1;
      if (startedAt > revokedAt) late.push(startedAt - revokedAt);
    }
  };
  const senders = ['a', 'b', 'c', 'd', 'e', 'f'].map(sender);
  while (accepted < 30) await new Promise(setImmediate);
  assert.equal(await revoke(), 204);
  revokedAt = performance.now();
  await Promise.all(senders);
  assert.deepEqual(late, []);
  const feed = await client(`/events?spaceId=${spaceId}&limit=200`, { as: session });
  assert.equal((feed.json['items'] as unknown[]).length, Math.min(accepted, 200));
});

test('a revoked key is not listed, and revoking it again returns 404', async () => {
  const { spaceId, path, revoke } = await newKey();
  await revoke();
  const keys = await client(`/spaces/${spaceId}/api-keys`, { as: session });
  assert.deepEqual(keys.json['items'], []);
  assert.equal((await client(path, { as: session })).json['code'], 'access.key-not-found');
  assert.equal(await revoke(), 404);
});

test('deleting a space ends its keys', async () => {
  const { spaceId, key } = await newKey();
  assert.equal((await client('/spaces', { as: key })).status, 200);
  await client(`/spaces/${spaceId}`, { method: 'DELETE', as: session });
  assert.equal((await client('/spaces', { as: key })).status, 401);
});

test('a key that is in use is rejected after it expires', async () => {
  const { id: spaceId } = await makeSpace(client, session);
  const expiresAt = new Date(Date.now() + 1500).toISOString();
  const body = { name: 'short', scopes: ['read'], expiresAt };
  const made = await client(`/spaces/${spaceId}/api-keys`, { as: session, body });
  const key = String(made.json['key']);
  let lastUse = 0;
  for (;;) {
    const startedAt = Date.now();
    const { status } = await client('/events', { as: key });
    if (status === 401) break;
    lastUse = startedAt;
  }
  assert.ok(lastUse > 0 && lastUse < Date.parse(expiresAt));
});
