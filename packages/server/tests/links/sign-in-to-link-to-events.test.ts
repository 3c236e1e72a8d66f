import assert from 'node:assert/strict';
import { createPublicKey, verify, type webcrypto } from 'node:crypto';
import { test } from 'node:test';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { ADMIN } from '../support/services/service.ts';

const { client, service } = await serviceOfThisFile();

const paid = {
  specversion: '1.0',
  id: 'order-1001-paid',
  source: 'https://shop.example/orders',
  type: 'example.order.paid',
  time: '2026-10-18T09:30:00Z',
};

test('an operator signs in and reads their own session', async () => {
  const answer = await client('/auth/session', { as: await signIn(client) });
  assert.equal((answer.json['user'] as { email: string }).email, ADMIN.email);
});

test('a wrong password and an unknown email return the same error', async () => {
  const wrong = { email: ADMIN.email, password: 'not the password' };
  const rejected = await client('/auth/sign-in/email', { body: wrong });
  const unknown = await client('/auth/sign-in/email', {
    body: { ...wrong, email: 'nobody@example.com' },
  });
  assert.equal(rejected.status, 401);
  assert.equal(rejected.json['code'], 'access.sign-in-failed');
  assert.equal(unknown.status, 401);
  assert.equal(unknown.text, rejected.text);
});

test('a backend creates a link with an API key, and a browser exchanges it for a session', async () => {
  const session = await signIn(client);
  const space = await makeSpace(client, session, { allowedOrigins: ['https://shop.example'] });
  const key = await makeKey(client, session, space.id, ['links:write', 'read']);
  const link = await makeLink(client, key, { sub: 'customer-42', ttlSeconds: 600 });
  assert.match(link.token, /^[\w-]{43}$/);
  assert.equal(link.url, `${service.url}/widget/${link.token}`);

  const exchange = { method: 'POST', body: { linkToken: link.token } };
  const answer = await client('/assistant-link/exchange', exchange);
  const { accessToken, expiresIn, jwtPayload } = answer.json;
  assert.equal(String(accessToken).split('.').length, 3);
  assert.ok(Number(expiresIn) > 590 && Number(expiresIn) <= 600);
  const { exp, ...claims } = jwtPayload as { exp: number };
  assert.deepEqual(claims, { v: 1, sub: 'customer-42', spaceId: space.id });
  assert.ok(Math.abs(exp - Date.now() / 1000 - 600) < 10);

  const shown = await client(`/assistant-link/${link.id}`, { as: key });
  assert.equal(shown.json['state'], 'active');
  assert.equal(shown.json['exchanges'], 1);
  assert.equal(shown.json['tokenPrefix'], link.token.slice(0, 6));
});

test('the widget page is served for any token, is not cacheable, and can be framed only by the shop', async () => {
  const session = await signIn(client);
  const { id: spaceId } = await makeSpace(client, session, {
    allowedOrigins: ['https://shop.example'],
  });
  const { token } = await makeLink(client, session, { spaceId });
  const page = await client(`/widget/${token}`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /frame-ancestors[^;]* https:\/\/shop\.example/,
  );
  const unknown = await client('/widget/not-a-token');
  assert.equal(unknown.status, 200);
  assert.match(unknown.headers.get('content-security-policy') ?? '', /frame-ancestors 'self'(;|$)/);
});

test('a widget session is verifiable with the published keys and cannot read events', async () => {
  const session = await signIn(client);
  const { id: spaceId } = await makeSpace(client, session);
  const widget = await exchangeLink(client, (await makeLink(client, session, { spaceId })).token);
  const [header = '', claims = '', signature = ''] = widget.split('.');
  const { keys } = (await client('/.well-known/jwks.json')).json as {
    keys: webcrypto.JsonWebKey[];
  };
  const publicKey = createPublicKey({ key: keys[0] ?? {}, format: 'jwk' });
  const signed = Buffer.from(`${header}.${claims}`);
  assert.ok(verify(null, signed, publicKey, Buffer.from(signature, 'base64url')));
  const rejected = await client(`/events?spaceId=${spaceId}`, { as: widget });
  assert.equal(rejected.json['code'], 'access.wrong-credential');
});

test('a sender posts a batch and gets a result for each event, and the feed returns the exact event data', async () => {
  const session = await signIn(client);
  const { id: spaceId } = await makeSpace(client, session);
  const key = await makeKey(client, session, spaceId, ['events:write', 'read']);
  const text = `{"amount":12345678901234567890,"rate":1e400,"amount":1,"__proto__":{"admin":true}}`;
  const body = `{"events":[${JSON.stringify(paid).slice(0, -1)},"data":${text}},{"id":"broken"}]}`;
  const sent = await client('/events', { as: key, body });
  const { errors, ...result } = sent.json;
  assert.deepEqual(result, {
    success: false,
    processed: 1,
    failed: 1,
    eventIds: ['order-1001-paid'],
  });
  assert.deepEqual(
    (errors as { index: number }[]).map(({ index }) => index),
    [1],
  );

  await client('/events', { as: key, body: { events: [paid] } });
  const feed = await client('/events', { as: key });
  const items = feed.json['items'] as { event: { id: string } }[];
  assert.deepEqual(
    items.map(({ event }) => event.id),
    ['order-1001-paid'],
    'the same event again is stored once',
  );
  assert.ok(feed.text.includes(`"data":${text}`), feed.text);
});

test('a user sends events to a space and resumes reading from a cursor', async () => {
  const session = await signIn(client);
  const { id: spaceId } = await makeSpace(client, session);
  const path = `/events?spaceId=${spaceId}`;
  await client(path, { as: session, body: { events: [{ ...paid, id: 'first' }] } });
  const first = await client(path, { as: session });
  await client(path, { as: session, body: { events: [{ ...paid, id: 'second' }] } });
  const rest = await client(`${path}&after=${first.json['resume']}`, { as: session });
  const items = rest.json['items'] as { event: { id: string } }[];
  assert.deepEqual(
    items.map(({ event }) => event.id),
    ['second'],
  );
  const unnamed = await client('/events', { as: session, body: { events: [] } });
  assert.equal(unnamed.status, 400, 'a session has no space of its own');
});
