import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { makeSpace } from '../support/provision.ts';
import { startServiceWithSpace } from '../support/services/service-with-space.ts';

const { client, session, space, ...shop } = await startServiceWithSpace();
after(() => shop[Symbol.asyncDispose]());

const SENDER = 'eventemitter.example.com';
const { id: allowing } = await makeSpace(client, session, {
  allowedOrigins: ['https://shop.example', `https://${SENDER}`, 'http://inside.example'],
});

async function ask(
  sender: string | null,
  query = '',
  more: Readonly<Record<string, string>> = {},
): Promise<readonly [string | null, string | null]> {
  const headers = { ...(sender === null ? {} : { 'webhook-request-origin': sender }), ...more };
  const answer = await client(`/events${query}`, { method: 'OPTIONS', headers });
  assert.equal(answer.status, 204, answer.text);
  assert.equal(answer.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
  return [answer.headers.get('webhook-allowed-origin'), answer.headers.get('webhook-allowed-rate')];
}

test('allows a listed sender to deliver at an unlimited rate', async () => {
  for (const sender of [SENDER, SENDER.toUpperCase(), 'inside.example', `https://${SENDER}`]) {
    assert.deepEqual(await ask(sender), [sender, '*']);
    assert.deepEqual(await ask(sender, `?spaceId=${allowing}`), [sender, '*']);
    assert.deepEqual(await ask(sender, '', { 'webhook-request-rate': '120' }), [sender, '*']);
  }
});

test('does not grant permission to unlisted or anonymous senders', async () => {
  const others = [
    'evil.example',
    `x.${SENDER}`,
    'example.com',
    `${SENDER}.`,
    '*',
    'null',
    `${SENDER}/`,
  ];
  for (const sender of [...others, `${SENDER}, evil.example`, '%', 'https://', ''])
    assert.deepEqual(await ask(sender), [null, null], sender);
  assert.deepEqual(await ask(null), [null, null]);
});

test('checks only the allowed senders of the space in ?spaceId=', async () => {
  for (const query of [
    `?spaceId=${space.id}`,
    '?spaceId=x',
    '?spaceId=',
    `?spaceId=${allowing}&spaceId=${allowing}`,
  ])
    assert.deepEqual(await ask(SENDER, query), [null, null], query);
  assert.deepEqual(await ask(SENDER, `?spaceId=${allowing.toUpperCase()}`), [SENDER, '*']);
});

test('does not call the callback of a handshake', async () => {
  let called = 0;
  const target = createServer((_request, response) => {
    called += 1;
    response.end();
  });
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const address = target.address();
  assert.ok(typeof address === 'object' && address !== null);
  const callback = `http://127.0.0.1:${address.port}/confirm?id=1`;
  assert.deepEqual(await ask(SENDER, '', { 'webhook-request-callback': callback }), [SENDER, '*']);
  await ask('evil.example', '', { 'webhook-request-callback': callback });
  await new Promise((resolve) => target.close(resolve));
  assert.equal(called, 0);
});

test('the error for an unsupported method names OPTIONS among the supported methods', async () => {
  const { status, headers } = await client('/events', { method: 'PUT', as: session });
  assert.deepEqual([status, headers.get('allow')], [405, 'POST, GET, HEAD, OPTIONS']);
});
