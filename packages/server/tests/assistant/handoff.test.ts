/** Conversations are handed over to people, who answer instead of the assistant. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ConversationWithMessages, Handoff, SpaceConversation } from '@gatehouse/contract';
import { Chat, openLink, textOf } from '../support/assistant/chat.ts';
import { type ChatService, openChatService } from '../support/assistant/chat-service.ts';
import { giveRole, makeKey, makeSpace, signIn } from '../support/provision.ts';
import { until } from '../support/until.ts';

let service: ChatService;
let path = '';
before(async () => {
  service = await openChatService();
  path = `/spaces/${service.space.id}`;
  await configure({ handoff: {}, contact: 'Write to help@shop.example.' });
});
after(() => service[Symbol.asyncDispose]());

async function configure(bot: object) {
  const { client, session, space } = service;
  const answer = await client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body: bot });
  assert.equal(answer.status, 200, answer.text);
}

const visitor = (sub: string, link: object = {}) =>
  openLink(service.client, service.session, { spaceId: service.space.id, sub, ...link });
const request = (as: string, id: string) => service.client('/chat/handoff', { as, body: { id } });
const answer = (id: string, body: object, as = service.session, headers = {}) =>
  service.client(`${path}/conversations/${id}/messages`, { as, body, headers });
const show = async (as: string, id: string) =>
  (await service.client(`/chat/conversations/${id}`, { as }))
    .json as unknown as ConversationWithMessages;

/** Asks a question and hands its conversation over. */
async function handedOver(sub: string, link: object = {}) {
  const opened = await visitor(sub, link);
  const chat = new Chat(service.url, opened.as, `chat-${sub}`);
  await chat.ask('Where is my parcel?');
  const { status, json, text } = await request(opened.as, chat.id);
  assert.equal(status, 200, text);
  return {
    ...opened,
    chat,
    id: String(json['conversationId']),
    handoff: json['handoff'] as Handoff,
  };
}

interface Update {
  readonly type: string;
  readonly handoff?: Handoff;
  readonly message?: { readonly id: string; readonly text?: string; readonly metadata?: object };
}

/** Opens a stream of updates and collects them until it ends. */
async function follow(url: string, as: string) {
  const ending = new AbortController();
  const response = await fetch(`${service.url}${url}`, {
    headers: { authorization: `Bearer ${as}` },
    signal: ending.signal,
  });
  const updates: Update[] = [];
  const read = async () => {
    let text = '';
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events)
        if (event.startsWith('data: ')) updates.push(JSON.parse(event.slice(6)) as Update);
    }
  };
  const ended = read().catch(() => {});
  return { status: response.status, updates, ended, stop: () => ending.abort() };
}

const streamOf = (id: string) => `/chat/conversations/${id}/handoff/stream`;
const types = async () => {
  const { client, session, space } = service;
  const feed = await client(`/events?spaceId=${space.id}&limit=200`, { as: session });
  return feed.json['items'] as { event: { type: string; subject: string; data: object } }[];
};
const eventsOf = async (id: string) =>
  (await types())
    .filter(({ event }) => event.subject === `conversation/${id}`)
    .map(({ event }) => event.type.replace('gatehouse.conversation.', ''));

test('people answer instead of the assistant until the handoff ends', async () => {
  const { as, chat, id, handoff } = await handedOver('ada');
  assert.equal(handoff.state, 'requested');
  const asked = service.model.requests.length;
  const silent = await chat.ask('Order 1001, please.');
  assert.equal(textOf(silent), '');
  assert.equal(service.model.requests.length, asked);

  const stream = await follow(streamOf(id), as);
  const team = await follow(`${path}/conversations/${id}/stream`, service.session);
  const sent = await answer(id, { text: 'I look for it.', author: 'Grace' });
  assert.equal(sent.status, 201, sent.text);
  await until('the visitor sees the message', () => stream.updates.some(({ message }) => message));
  await chat.ask('Thank you!');
  const ended = await service.client(`${path}/conversations/${id}/handoff`, {
    method: 'DELETE',
    as: service.session,
  });
  assert.equal(ended.status, 204);
  await Promise.all([stream.ended, team.ended]);
  const [, , last] = stream.updates.filter(({ type }) => type === 'handoff');
  assert.deepEqual([last?.handoff?.state, last?.handoff?.author], ['ended', 'Grace']);
  assert.deepEqual(
    team.updates.flatMap(({ message }) => message?.text ?? []),
    ['Order 1001, please.', 'I look for it.', 'Thank you!'],
  );

  const { messages, handoff: stored } = await show(as, id);
  assert.equal(stored?.state, 'ended');
  assert.deepEqual(
    messages.map(({ role, metadata }) => [role, metadata.author ?? null]),
    [
      ['user', null],
      ['assistant', null],
      ['user', null],
      ['assistant', 'Grace'],
      ['user', null],
    ],
  );
  const answered = await chat.ask('And refunds?');
  assert.notEqual(textOf(answered), '');
  assert.ok(service.model.requests.at(-1)?.text.includes('I look for it.'));
  await until('both events are in the log', async () => (await eventsOf(id)).length === 2);
  assert.deepEqual(await eventsOf(id), ['handoff', 'handoff-ended']);
});

test('a visitor can ask for a person before the first question, and can return to the assistant', async () => {
  const { as } = await visitor('first');
  const { json } = await request(as, 'new-chat');
  const id = String(json['conversationId']);
  assert.equal((await show(as, id)).title, null);
  assert.equal((await request(as, id)).json['conversationId'], id);
  const chat = new Chat(service.url, as, 'new-chat');
  assert.equal(textOf(await chat.ask('Is anybody there?')), '');
  assert.equal((await show(as, id)).title, 'Is anybody there?');
  const left = await service.client(`/chat/conversations/${id}/handoff`, { method: 'DELETE', as });
  assert.equal(left.status, 204);
  assert.notEqual(textOf(await chat.ask('Is anybody there?')), '');
  assert.equal(
    (await answer(id, { text: 'Hello', author: 'Grace' })).json['code'],
    'chat.no-handoff',
  );
  assert.equal((await follow(streamOf(id), as)).status, 204);
});

test('outside of the opening hours the visitor gets the away message, and the assistant answers', async (t) => {
  const now = new Date(Date.now() + service.skew);
  const day = now.toLocaleDateString('en-US', { timeZone: 'Asia/Tokyo', weekday: 'long' });
  const others = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
    .filter((name) => name !== day.toLowerCase())
    .map((name) => ({ day: name, from: '00:00', to: '24:00' }));
  const openingHours = { timeZone: 'Asia/Tokyo', periods: others };
  t.after(() => configure({ handoff: {} }));
  await configure({ handoff: { openingHours, awayMessage: 'Back tomorrow.' } });
  const { as } = await visitor('late');
  const { json } = await request(as, 'late');
  assert.deepEqual(json, {
    conversationId: null,
    handoff: null,
    away: { message: 'Back tomorrow.' },
  });
  assert.notEqual(textOf(await new Chat(service.url, as, 'late').ask('Hello?')), '');
  service.skew += 86_400_000;
  t.after(() => {
    service.skew -= 86_400_000;
  });
  const tomorrow = await visitor('later');
  assert.equal((await request(tomorrow.as, 'later')).json['away'], null);
});

test('the settings of a handoff are checked', async () => {
  const { client, session, space } = service;
  const change = (handoff: object) =>
    client(`/bots/${space.botId}`, { method: 'PATCH', as: session, body: { handoff } });
  const period = (from: string, to: string) => ({ day: 'monday', from, to });
  for (const [timeZone, periods, issue] of [
    ['Mars/Base', [period('09:00', '10:00')], 'timeZone'],
    ['+02:00', [period('09:00', '10:00')], 'timeZone'],
    ['Europe/Berlin', [period('10:00', '10:00')], 'periods[0].to'],
    ['Europe/Berlin', [period('25:00', '26:00')], 'periods[0]'],
    ['Europe/Berlin', [], 'periods'],
  ] as const) {
    const { status, text } = await change({ openingHours: { timeZone, periods } });
    assert.equal(status, 400, text);
    assert.ok(text.includes(issue), text);
  }
});

test('a bot without a handoff and a link without stored conversations offer none', async () => {
  const { client, session } = service;
  const silent = await visitor('eve', { features: { chatHistory: false } });
  assert.equal((await request(silent.as, 'eve')).json['code'], 'chat.handoff-unavailable');
  const other = await makeSpace(client, session);
  const link = await openLink(client, session, { spaceId: other.id });
  assert.equal((await request(link.as, 'x')).status, 404);
  const { json } = await client('/assistant-link/exchange', {
    body: { linkToken: link.linkToken },
  });
  assert.deepEqual(json['features'], { chatHistory: true, attachments: true, handoff: false });
  const open = await client('/assistant-link/exchange', {
    body: { linkToken: (await visitor('offered')).linkToken },
  });
  assert.deepEqual(open.json['features'], { chatHistory: true, attachments: true, handoff: true });
});

test('only people with access to the conversations of the space answer, and other visitors see nothing', async () => {
  const { client, session } = service;
  const { id } = await handedOver('bob');
  const stranger = await visitor('mallory');
  assert.equal((await follow(streamOf(id), stranger.as)).status, 204);
  await client(`/chat/conversations/${id}/handoff`, { method: 'DELETE', as: stranger.as });
  const other = await makeSpace(client, session);
  const elsewhere = `/spaces/${other.id}/conversations/${id}`;
  const body = { text: 'Hello', author: 'Grace' };
  assert.equal((await client(`${elsewhere}/messages`, { as: session, body })).status, 404);
  assert.equal(
    (await client(`${elsewhere}/handoff`, { as: session, method: 'DELETE' })).status,
    404,
  );
  assert.equal((await client(`${elsewhere}/stream`, { as: session })).status, 404);
  const reader = await makeKey(client, session, service.space.id, ['conversations:read']);
  assert.equal((await answer(id, body, reader)).status, 403);
  const writer = await makeKey(client, session, service.space.id, ['conversations:write']);
  const nameless = await answer(id, { text: 'Hello' }, writer);
  assert.deepEqual([nameless.status, nameless.json['code']], [400, 'chat.invalid']);
  assert.equal((await answer(id, body, writer)).status, 201);
  assert.equal((await client(`${path}/conversations`, { as: writer })).status, 403);
});

test('the author is the name of the user and never an email address', async () => {
  const { client, session, space } = service;
  const { id } = await handedOver('carol');
  const user = { email: 'grace@shop.example', password: 'a-long-password-1' };
  const created = await client('/users', {
    as: session,
    body: { ...user, name: user.email },
  });
  await giveRole(client, session, space.botId, String(created.json['id']), 'owner');
  const sent = await answer(id, { text: 'Hello' }, await signIn(client, user));
  assert.equal(sent.json['author'], 'grace');
});

test('a revoked link ends the stream and the handoff at once', async () => {
  const { as, id, linkId } = await handedOver('dave');
  const stream = await follow(streamOf(id), as);
  await service.client(`/assistant-link/${linkId}`, { method: 'DELETE', as: service.session });
  assert.equal((await answer(id, { text: 'Hello', author: 'Grace' })).status, 409);
  await stream.ended;
  assert.ok(stream.updates.every(({ type }) => type === 'handoff'));
  assert.equal((await follow(streamOf(id), as)).status, 410);
  await until('the end is in the log', async () => (await eventsOf(id)).length === 2);
});

test('the stream of a member of the team ends when the right to read conversations ends', async () => {
  const { client, session, space } = service;
  const { chat, id } = await handedOver('heidi');
  const user = { email: 'helper@shop.example', name: 'Helper', password: 'a-long-password-1' };
  const created = await client('/users', { as: session, body: user });
  const member = `/bots/${space.botId}/members/${String(created.json['id'])}`;
  await client(member, { method: 'PUT', as: session, body: { role: 'owner' } });
  const key = await makeKey(client, session, space.id, ['conversations:read']);
  const stream = `${path}/conversations/${id}/stream`;
  const [byKey, byMember] = [
    await follow(stream, key),
    await follow(stream, await signIn(client, user)),
  ];
  assert.deepEqual([byKey.status, byMember.status], [200, 200]);
  const keys = await client(`${path}/api-keys?limit=200`, { as: session });
  const newest = (keys.json['items'] as { id: string }[]).at(-1);
  await client(`${path}/api-keys/${newest?.id}`, { method: 'DELETE', as: session });
  await client(member, { method: 'DELETE', as: session });
  await Promise.all([byKey.ended, byMember.ended]);
  await chat.ask('My number is 1001.');
  for (const { updates } of [byKey, byMember])
    assert.ok(updates.every(({ type }) => type === 'handoff'));
});

test('a repeated message is stored once, and no edit or deletion of an answer removes a message of a handoff', async () => {
  const { as, chat, id } = await handedOver('frank');
  const retry = {
    id: chat.id,
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  };
  for (let time = 0; time < 3; time += 1)
    assert.equal((await service.client('/chat', { as, body: retry })).status, 200);
  const headers = { 'idempotency-key': 'answer-1' };
  const body = { text: 'Hello Frank', author: 'Grace' };
  const [first, second] = [
    await answer(id, body, service.session, headers),
    await answer(id, body, service.session, headers),
  ];
  assert.equal(first.json['id'], second.json['id']);
  await service.client(`${path}/conversations/${id}/handoff`, {
    method: 'DELETE',
    as: service.session,
  });
  const { messages } = await show(as, id);
  const edited = {
    ...retry,
    messageId: messages[0]?.id,
    messages: [{ id: messages[0]?.id, role: 'user', parts: [{ type: 'text', text: 'Edited' }] }],
  };
  assert.equal((await service.client('/chat', { as, body: edited })).status, 200);
  const texts = (await show(as, id)).messages.map(textOf);
  assert.deepEqual(
    texts.filter((text) => ['Where is my parcel?', 'Hi', 'Hello Frank', 'Edited'].includes(text)),
    ['Where is my parcel?', 'Hi', 'Hello Frank', 'Edited'],
  );
});

test('a client that states the messages it shows does not send an earlier question to the team by asking for another answer', async () => {
  const { as, id } = await handedOver('behind');
  const stored = async () => (await show(as, id)).messages;
  const knownMessageIds = (await stored()).map((message) => message.id);
  const stale = new Chat(service.url, as, id, { knownMessageIds });
  stale.messages = (await stored()) as Chat['messages'];
  await assert.rejects(stale.regenerate(), /"code":"chat.newer-question"/);
  await assert.rejects(stale.edit(knownMessageIds[0] ?? '', 'Lost?'), /"chat.newer-question"/);
  assert.equal((await stored()).length, 2);

  await stale.ask('My order is 1001.');
  await stale.regenerate();
  assert.deepEqual((await stored()).slice(2).map(textOf), ['My order is 1001.']);
});

test('the list selects conversations that wait for a person, and erasure removes messages of the team', async () => {
  const { client, session } = service;
  const { id } = await handedOver('grace');
  await answer(id, { text: 'A marker-9f3c for Grace', author: 'Ada' });
  const waiting = await handedOver('heidi');
  const list = async (state: string) => {
    const { json } = await client(`${path}/conversations?handoff=${state}`, { as: session });
    return (json['items'] as SpaceConversation[]).map((item) => item.id);
  };
  assert.ok((await list('requested')).includes(waiting.id));
  assert.ok(!(await list('requested')).includes(id));
  assert.ok((await list('active')).includes(id));
  assert.ok((await list('open')).includes(id) && (await list('open')).includes(waiting.id));
  await client(`${path}/subjects/grace`, { method: 'DELETE', as: session });
  assert.ok(!(await list('open')).includes(id));
  assert.ok(
    !JSON.stringify(await service.rows('select text from messages')).includes('marker-9f3c'),
  );
});

test('a space reports its conversations only if it is configured, without texts and never without history', async () => {
  const { client, session, space } = service;
  const set = (conversationEvents: boolean) =>
    client(`/spaces/${space.id}`, { method: 'PATCH', as: session, body: { conversationEvents } });
  await new Chat(service.url, (await visitor('quiet')).as, 'quiet').ask('A quiet question');
  assert.equal((await set(true)).json['conversationEvents'], true);
  const { as } = await visitor('loud');
  const chat = new Chat(service.url, as, 'loud');
  const { id: answerId, metadata } = await chat.ask('A marker-loud question');
  const rate = () => client(`/chat/messages/${answerId}/feedback`, { as, body: { rating: 'up' } });
  await rate();
  await rate();
  const silent = await visitor('ivan', { features: { chatHistory: false } });
  await new Chat(service.url, silent.as, 'ivan').ask('A secret question');
  const id = String(metadata?.conversationId);
  await request(as, id);
  await answer(id, { text: 'marker-team', author: 'Grace' });
  await client(`/chat/conversations/${id}`, { method: 'DELETE', as });
  await until('the end is in the log', async () => (await eventsOf(id)).includes('ended'));
  assert.deepEqual(await eventsOf(id), [
    ...['started', 'asked', 'answered', 'rated', 'handoff', 'answered', 'handoff-ended', 'ended'],
  ]);
  const all = await types();
  const reported = all.filter(({ event }) => /started|asked$/.test(event.type));
  assert.equal(reported.length, 2);
  assert.ok(!JSON.stringify(all).includes('marker-'));
  assert.deepEqual((await service.rows('select * from conversation_outbox')).length, 0);
  await set(false);
});

test('nobody can send an event that looks like one about a conversation', async () => {
  const { client, session, space } = service;
  const key = await makeKey(client, session, space.id);
  const event = {
    specversion: '1.0',
    id: '1',
    source: 'urn:x',
    type: 'gatehouse.conversation.handoff',
  };
  const { json } = await client('/events', { as: key, body: { events: [event] } });
  assert.equal(json['processed'], 0);
});
