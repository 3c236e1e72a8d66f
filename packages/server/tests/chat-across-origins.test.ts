import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openLink } from './support/chat.ts';
import { type ChatService, openChatService } from './support/chat-service.ts';
import { clientOf } from './support/client.ts';
import { makeSpace } from './support/provision.ts';

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

test('a page on an origin that the space names may ask, and read why it was refused', async () => {
  const { as, linkId } = await open();
  const headers = { origin: SHOP };
  const asked = await service.client('/chat', { as, body, headers });
  assert.deepEqual(corsOf(asked.headers), ALLOWED);
  assert.equal(asked.headers.get('vary'), 'Origin');
  const list = await service.client('/chat/conversations', { as, headers });
  assert.deepEqual(corsOf(list.headers), ALLOWED);
  const wrong = await service.client('/chat', { as, headers, body: {} });
  assert.deepEqual([wrong.status, corsOf(wrong.headers)], [400, ALLOWED]);
  const revoke = { method: 'DELETE', as: service.session };
  await service.client(`/assistant-link/${linkId}`, revoke);
  const gone = await service.client('/chat', { as, body, headers });
  assert.deepEqual([gone.status, corsOf(gone.headers)], [410, ALLOWED]);
});

test('a page elsewhere may read nothing, nor may any without a token of ours', async () => {
  const { as } = await open();
  for (const origin of [BANK, 'null', `${SHOP}.evil.example`, service.url]) {
    const answer = await service.client('/chat', { as, body, headers: { origin } });
    assert.deepEqual(corsOf(answer.headers), {}, origin);
    assert.equal(answer.headers.get('vary'), 'Origin');
  }
  for (const token of [undefined, `${as.slice(0, -4)}AAAA`]) {
    const answer = await service.client('/chat', { as: token, body, headers: { origin: SHOP } });
    assert.deepEqual([answer.status, corsOf(answer.headers)], [401, {}]);
  }
});

test('a preflight lets through what any space allows, for every path of the chat', async () => {
  const paths = [
    ['/chat', 'POST'],
    ['/chat/conversations', 'GET'],
    ['/chat/conversations/0199f3a2-0000-7000-8000-000000000000', 'GET, DELETE'],
    ['/chat/messages/0199f3a2-0000-7000-8000-000000000000/feedback', 'POST'],
  ] as const;
  const bare = clientOf(service.url);
  for (const [path, methods] of paths) {
    const answer = await bare(path, { method: 'OPTIONS', headers: { origin: BANK } });
    assert.equal(answer.status, 204, path);
    assert.deepEqual(corsOf(answer.headers), {
      'access-control-allow-origin': BANK,
      'access-control-allow-methods': methods,
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    });
    const foreign = await bare(path, {
      method: 'OPTIONS',
      headers: { origin: 'https://x.example' },
    });
    assert.deepEqual([foreign.status, corsOf(foreign.headers)], [204, {}]);
  }
});
