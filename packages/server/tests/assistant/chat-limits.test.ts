import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Chat, exchange, openLink } from '../support/assistant/chat.ts';
import { type ChatService, openChatService } from '../support/assistant/chat-service.ts';
import { echo } from '../support/assistant/shown-prompt.ts';
import type { ClientResponse } from '../support/http/client.ts';

const PER_MINUTE = 5;
let service: ChatService;
before(async () => {
  service = await openChatService({ turnsPerMinute: PER_MINUTE });
});
after(() => service[Symbol.asyncDispose]());

const open = (link: object = {}) =>
  openLink(service.client, service.session, { spaceId: service.space.id, ...link });
const question = (text: string, more: object = {}) => ({
  messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
  ...more,
});
const ask = (as: string, body: object): Promise<ClientResponse> =>
  service.client('/chat', { as, body });

test('the limit on questions per minute applies to a user across links, and the rejection has Retry-After', async () => {
  const { as } = await open({ sub: 'ada' });
  const other = await open({ sub: 'ada' });
  for (let n = 0; n < PER_MINUTE; n++)
    assert.equal((await ask(n % 2 === 0 ? as : other.as, question('Hello?'))).status, 200);
  const refused = await ask(other.as, question('Hello?'));
  assert.equal(refused.status, 429);
  assert.equal(refused.json['code'], 'chat.too-many-turns');
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds >= 50 && seconds <= 60, `${seconds}`);
  assert.match(String(refused.json['message']), new RegExp(`in ${seconds} seconds`));
  assert.equal((await ask((await open({ sub: 'bob' })).as, question('Hello?'))).status, 200);
  const again = (await open()).as;
  assert.equal(
    (await ask(again, question('Hello?'))).status,
    200,
    'a link without a sub has its own limit',
  );
  service.skew += 61_000;
  assert.equal((await ask(as, question('Hello?'))).status, 200);
});

test('a link without a `sub` has a limit per client address and a total limit, across all sessions', async () => {
  await using shared = await openChatService({
    turnsPerMinute: 2,
    env: { GATEHOUSE_RATE_LIMIT_CHAT_LINK: '3', GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const { client, session, space } = shared;
  const { as, linkToken } = await openLink(client, session, { spaceId: space.id });
  const from = async (address: string, token: string) => {
    const headers = { 'x-forwarded-for': address };
    return client('/chat', { as: token, headers, body: question('Hello?') });
  };
  for (let n = 0; n < 2; n++) assert.equal((await from('203.0.113.1', as)).status, 200);
  const renewed = (await exchange(client, linkToken)).as;
  for (const token of [as, renewed]) {
    const refused = await from('203.0.113.1', token);
    assert.deepEqual([refused.status, refused.json['code']], [429, 'chat.too-many-turns']);
  }
  assert.equal((await from('203.0.113.2', renewed)).status, 200);
  const refused = await from('203.0.113.3', renewed);
  assert.deepEqual([refused.status, refused.json['code']], [429, 'chat.link-busy']);
  const seconds = Number(refused.headers.get('retry-after'));
  assert.ok(seconds >= 50 && seconds <= 60, `${seconds}`);
  const other = await openLink(client, session, { spaceId: space.id });
  assert.equal((await from('203.0.113.1', other.as)).status, 200);
  shared.skew += 61_000;
  assert.equal((await from('203.0.113.1', as)).status, 200);
});

test('invalid requests count toward the limit, and the body of a rejected request is not read', async () => {
  const { as } = await open({ sub: 'noise' });
  for (let n = 0; n < PER_MINUTE; n++) assert.equal((await ask(as, {})).status, 400);
  assert.equal((await ask(as, {})).status, 429);
});

test('a conversation allows only one running answer at a time', async () => {
  const begun = Promise.withResolvers<void>();
  service.model.behave(() => {
    begun.resolve();
    return { does: 'stall' };
  });
  const { as } = await open({ sub: 'busy' });
  const stop = new AbortController();
  const first = new Chat(service.url, as, 'same').ask('One?', stop.signal).catch(() => null);
  await begun.promise;
  service.model.behave(echo);
  const refused = await ask(as, question('Two?', { id: 'same' }));
  assert.equal(refused.status, 429);
  assert.equal(refused.json['code'], 'chat.turn-running');
  assert.equal(refused.headers.get('retry-after'), '2');
  assert.equal((await ask(as, question('Two?', { id: 'other' }))).status, 200);
  stop.abort();
  await first;
  assert.equal((await ask(as, question('Three?', { id: 'same' }))).status, 200);
});

test('a question must have 1 to 4,000 characters', async () => {
  const { as } = await open({ sub: 'long' });
  for (const [text, status] of [
    ['x'.repeat(4000), 200],
    ['x'.repeat(4001), 400],
    ['', 400],
    [' \n', 400],
    ['a\0b', 400],
  ] as const)
    assert.equal((await ask(as, question(text))).status, status, text.slice(0, 3));
});

test('reports every problem in a request with the path of the invalid member', async () => {
  const { as } = await open({ sub: 'wrong' });
  const issues = async (body: object) => {
    const answer = await ask(as, body);
    assert.equal(answer.status, 400);
    assert.equal(answer.json['code'], 'chat.invalid');
    return (answer.json['issues'] as { message: string }[]).map(({ message }) => message);
  };
  assert.deepEqual(await issues({}), ['messages: is required']);
  assert.deepEqual(await issues({ messages: [] }), ['messages: must have at least 1 item']);
  const file = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,' };
  assert.deepEqual(await issues({ messages: [{ role: 'user', parts: [file] }], trigger: 'x' }), [
    'trigger: must be "submit-message" or "regenerate-message"',
    'messages[0].parts[0].url: must be the url of an attachment; upload the file with POST /chat/{chatId}/attachments first',
    'messages[0].parts: must contain text',
  ]);
  const image = { type: 'image' };
  assert.deepEqual(await issues({ messages: [{ role: 'user', parts: [image] }] }), [
    'messages[0].parts[0].type: must be "text" or "file" in a question',
  ]);
  const last = { role: 'assistant', parts: [{ type: 'text', text: 'I am.' }] };
  assert.deepEqual(await issues({ messages: [...question('Who?').messages, last] }), [
    'messages[1].role: must be "user", because the last message is the question',
  ]);
});

test('rejects a question whose context is longer than 8,000 characters', async () => {
  const pages = [await open({ sub: 'page' }), await open({ sub: 'other page' })] as const;
  const [{ as }] = pages;
  // `{"a":""}` has eight characters.
  for (const [context, status] of [
    [{ a: 'x'.repeat(8000 - 8) }, 200],
    [{ a: 'x'.repeat(8000 - 7) }, 400],
    ['/cart', 400],
    [null, 400],
    [[], 400],
  ] as const)
    assert.equal((await ask(as, question('Hello?', { context }))).status, status);
  const refused = await ask(pages[1].as, question(' ', { context: { a: 'x'.repeat(9000) } }));
  assert.deepEqual(refused.json['issues'], [
    { message: 'messages[0].parts: must contain text' },
    { message: 'context: must have at most 8000 characters as JSON' },
  ]);
});

test('accepts additional members from clients of the AI SDK', async () => {
  const { as } = await open({ sub: 'more' });
  const message = {
    id: 'm',
    role: 'user',
    metadata: { a: 1 },
    parts: [{ type: 'text', text: 'Hello?', state: 'done', providerMetadata: {} }],
  };
  const before = {
    role: 'assistant',
    id: 'b',
    parts: [{ type: 'step-start' }, { type: 'data-x' }],
  };
  const body = { id: 'c', messages: [before, message], trigger: 'submit-message', locale: 'de' };
  assert.equal((await ask(as, body)).status, 200);
});
