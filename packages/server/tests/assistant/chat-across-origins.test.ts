import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openLink } from '../support/assistant/chat.ts';
import { type ChatService, openChatService } from '../support/assistant/chat-service.ts';
import { clientOf } from '../support/http/client.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { makeSpace } from '../support/provision.ts';

const SHOP = 'https://shop.example';
const BANK = 'https://bank.example';
const body = { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello?' }] }] };
let service: ChatService;
before(async () => {
  service = await openChatService({ allowedOrigins: [SHOP], turnsPerMinute: 20 });
  await makeSpace(service.client, service.session, { allowedOrigins: [BANK] });
});
after(() => service[Symbol.asyncDispose]());

const open = () => openLink(service.client, service.session, { spaceId: service.space.id });
const corsOf = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
const ALLOWED = {
  'access-control-allow-origin': SHOP,
  'access-control-expose-headers': 'retry-after, x-request-id',
};
const OPAQUE = { ...ALLOWED, 'access-control-allow-origin': 'null' };
const preflightOf = (origin: string, methods: string) => ({
  'access-control-allow-origin': origin,
  'access-control-allow-methods': methods,
  'access-control-allow-headers': 'authorization, content-type',
  'access-control-max-age': '600',
});
const NOBODY = '0199f3a2-0000-7000-8000-000000000000';

test('a page of an allowed origin can use the chat and read error responses', async () => {
  const { as, linkId } = await open();
  const headers = { origin: SHOP };
  const asked = await service.client('/chat', { as, body, headers });
  assert.deepEqual(corsOf(asked.headers), ALLOWED);
  assert.equal(asked.headers.get('vary'), 'Origin');
  const list = await service.client('/chat/conversations', { as, headers });
  assert.deepEqual(corsOf(list.headers), ALLOWED);
  const resumed = await service.client('/chat/q1Zk3v0b/stream', { as, headers });
  assert.deepEqual([resumed.status, corsOf(resumed.headers)], [204, ALLOWED]);
  const wrong = await service.client('/chat', { as, headers, body: {} });
  assert.deepEqual([wrong.status, corsOf(wrong.headers)], [400, ALLOWED]);
  const revoke = { method: 'DELETE', as: service.session };
  await service.client(`/assistant-link/${linkId}`, revoke);
  const gone = await service.client('/chat', { as, body, headers });
  assert.deepEqual([gone.status, corsOf(gone.headers)], [410, ALLOWED]);
});

test('a page cannot read responses if its origin is not allowed or its token is invalid', async () => {
  const { as } = await open();
  for (const origin of [BANK, 'NULL', `${SHOP}.evil.example`, service.url]) {
    const answer = await service.client('/chat', { as, body, headers: { origin } });
    assert.deepEqual(corsOf(answer.headers), {}, origin);
    assert.equal(answer.headers.get('vary'), 'Origin');
  }
  for (const token of [undefined, `${as.slice(0, -4)}AAAA`]) {
    for (const origin of [SHOP, 'null']) {
      const answer = await service.client('/chat', { as: token, body, headers: { origin } });
      assert.deepEqual([answer.status, corsOf(answer.headers)], [401, {}]);
    }
  }
});

test('a sandboxed frame with a widget session can use the chat, even if the space allows no origins', async () => {
  const elsewhere = await makeSpace(service.client, service.session);
  const { as, linkId } = await openLink(service.client, service.session, {
    spaceId: elsewhere.id,
  });
  const headers = { origin: 'null' };
  const asked = await service.client('/chat', { as, body, headers });
  assert.deepEqual([asked.status, corsOf(asked.headers)], [200, OPAQUE]);
  const list = await service.client('/chat/conversations', { as, headers });
  assert.deepEqual([list.status, corsOf(list.headers)], [200, OPAQUE]);
  const revoke = { method: 'DELETE', as: service.session };
  await service.client(`/assistant-link/${linkId}`, revoke);
  const gone = await service.client('/chat', { as, body, headers });
  assert.deepEqual([gone.status, corsOf(gone.headers)], [410, OPAQUE]);
});

test('a sandboxed frame, and a page on an allowed origin, can read passages only with a widget session', async () => {
  const { client, session, space } = service;
  const { id } = await addDocument(client, session, space.id, { fileName: 'a.txt', text: 'Ah.' });
  const { as } = await open();
  const document = `/spaces/${space.id}/documents/${id}`;
  const read = async (path: string, token: string | undefined, origin: string) => {
    const { status, headers } = await client(path, { as: token, headers: { origin } });
    return [status, corsOf(headers)];
  };
  assert.deepEqual(await read(`${document}/passages`, as, 'null'), [200, OPAQUE]);
  const elsewhere = `/spaces/${space.id}/documents/${NOBODY}/passages`;
  assert.deepEqual(await read(elsewhere, as, 'null'), [404, OPAQUE]);
  assert.deepEqual(await read(`${document}/passages`, as, SHOP), [200, ALLOWED]);
  assert.deepEqual(await read(`${document}/passages`, as, BANK), [200, {}]);
  assert.deepEqual(await read(`${document}/passages`, session, SHOP), [200, {}]);
  assert.deepEqual(await read(`${document}/passages`, session, 'null'), [200, {}]);
  assert.deepEqual(await read(`${document}/passages`, undefined, 'null'), [401, {}]);
  for (const path of [document, `${document}/content`, `/spaces/${space.id}/documents`])
    assert.deepEqual(await read(path, as, 'null'), [200, {}], path);
  const bare = clientOf(service.url);
  const ask = async (path: string, origin: string) => {
    const { status, headers } = await bare(path, { method: 'OPTIONS', headers: { origin } });
    return [status, corsOf(headers)];
  };
  assert.deepEqual(await ask(`${document}/passages`, 'null'), [204, preflightOf('null', 'GET')]);
  assert.deepEqual(await ask(`${document}/passages`, SHOP), [204, preflightOf(SHOP, 'GET')]);
  assert.deepEqual(await ask(`${document}/passages`, 'https://evil.example'), [204, {}]);
  assert.deepEqual(await ask(document, 'null'), [405, {}]);
});

test('preflight responses of every chat route allow the allowed origins of all spaces', async () => {
  const paths = [
    ['/chat', 'POST'],
    ['/chat/q1Zk3v0b/stream', 'GET, DELETE'],
    ['/chat/q1Zk3v0b/attachments', 'POST'],
    [`/chat/q1Zk3v0b/attachments/${NOBODY}`, 'DELETE'],
    [`/chat/tool-calls/${NOBODY}/result`, 'POST'],
    ['/chat/conversations', 'GET'],
    [`/chat/conversations/${NOBODY}`, 'GET, DELETE'],
    [`/chat/messages/${NOBODY}/feedback`, 'POST'],
  ] as const;
  const bare = clientOf(service.url);
  for (const [path, methods] of paths) {
    for (const origin of [BANK, 'null']) {
      const answer = await bare(path, { method: 'OPTIONS', headers: { origin } });
      assert.equal(answer.status, 204, path);
      assert.deepEqual(corsOf(answer.headers), preflightOf(origin, methods));
    }
    const foreign = await bare(path, {
      method: 'OPTIONS',
      headers: { origin: 'https://x.example' },
    });
    assert.deepEqual([foreign.status, corsOf(foreign.headers)], [204, {}]);
  }
});

test('the header Allow of a preflight response lists the same methods as that of a 405', async () => {
  const bare = clientOf(service.url);
  for (const path of ['/chat', '/chat/conversations', '/chat/q1Zk3v0b/stream']) {
    const allowOf = async (method: string) => (await bare(path, { method })).headers.get('allow');
    assert.equal(await allowOf('OPTIONS'), await allowOf('PUT'), path);
  }
});
