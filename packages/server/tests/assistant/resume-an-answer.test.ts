import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readUIMessageStream } from 'ai';
import { Chat, type Message, openLink, textOf } from '../support/assistant/chat.ts';
import { type ChatService, openChatService } from '../support/assistant/chat-service.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { until } from '../support/until.ts';

let service: ChatService;
before(async () => {
  service = await openChatService();
});
after(() => service[Symbol.asyncDispose]());

const open = (sub: string) =>
  openLink(service.client, service.session, { spaceId: service.space.id, sub });

test('the AI SDK finds no answer to resume in a new chat, after an answer, or in a chat of somebody else', async () => {
  const mine = await open('ada');
  const chat = new Chat(service.url, mine.as, 'N8yT5rWc/ü ?#');
  assert.equal(await chat.resume(), null);
  const answer = await chat.ask('How long does a refund take?');
  assert.equal(await chat.resume(), null);
  const stored = String(answer.metadata?.conversationId);
  for (const { as } of [mine, await open('bob')])
    assert.equal(await new Chat(service.url, as, stored).resume(), null);
});

test('the AI SDK resumes an answer after its client disconnected, and the answer is stored', async () => {
  const { model, url } = service;
  const more = Promise.withResolvers<void>();
  model.behave({
    does: 'answer',
    pieces: (async function* () {
      yield 'It takes ';
      await more.promise;
      yield 'five days.';
    })(),
  });
  const { as } = await open('grace');
  const chat = new Chat(url, as, 'resumed', { resumable: true });
  const stop = new AbortController();
  chat.onGrowth = (answer) => textOf(answer) !== '' && stop.abort();
  await chat.ask('refund', stop.signal).catch(() => null);
  const stream = await chat.resume();
  assert.ok(stream);
  let resumed: Message | undefined;
  for await (const message of readUIMessageStream<Message>({ stream })) {
    resumed = message;
    if (textOf(message) !== '') more.resolve();
  }
  assert.equal(textOf(resumed as Message), 'It takes five days.');
  const rows = await service.rows("select text, state from messages where role = 'assistant'");
  assert.deepEqual(rows.at(-1), { text: 'It takes five days.', state: 'finished' });
  assert.equal(await chat.resume(), null);
});

test('a resumed answer contains nothing that was found before the filter of the space changed', async () => {
  const { model, url, client, session, space } = service;
  const text = `It takes five days${'.'.repeat(2000)}`;
  model.behave({ does: 'stall', pieces: [text] });
  const setFilter = async (permissionFilter: object | null) => {
    const body = { permissionFilter };
    const changed = await client(`/spaces/${space.id}`, { method: 'PATCH', as: session, body });
    assert.equal(changed.status, 200, changed.text);
  };
  const { as } = await open('lovelace');
  const chat = new Chat(url, as, 'filtered', { resumable: true });
  const stop = new AbortController();
  chat.onGrowth = (answer) => textOf(answer) !== '' && stop.abort();
  await chat.ask('refund', stop.signal).catch(() => null);
  await until('the text is stored', async () => {
    const [row] = await service.rows(
      "select sealed from running_answers where chat_id = 'filtered'",
    );
    return String(row?.['sealed']).length > text.length;
  });
  await setFilter({ or: [] });
  const resumed = await client('/chat/filtered/stream', { as });
  assert.doesNotMatch(resumed.text, /five days/);
  assert.match(resumed.text, /"code":"chat.permissions-changed"/);
  await setFilter(null);
});

test('a resumed answer contains nothing of a document that the link can no longer see', async () => {
  const { model, url, client, session, space } = service;
  const { id } = await addDocument(client, session, space.id, {
    fileName: 'refunds.txt',
    text: 'A refund takes five days.',
    metadata: { team: 'a' },
  });
  model.behave({ does: 'stall', pieces: ['It takes five days [1]. '] });
  const permissionFilter = { team: { eq: 'a' } };
  const link = { spaceId: space.id, sub: 'lin', permissionFilter };
  const { as } = await openLink(client, session, link);
  const chat = new Chat(url, as, 'narrowed', { resumable: true });
  const stop = new AbortController();
  chat.onGrowth = (answer) => textOf(answer) !== '' && stop.abort();
  await chat.ask('How long does a refund take?', stop.signal).catch(() => null);
  const path = `/spaces/${space.id}/documents/${id}`;
  const body = { metadata: { team: 'b' } };
  const changed = await client(path, { method: 'PATCH', as: session, body });
  assert.equal(changed.status, 200, changed.text);
  const resumed = await client('/chat/narrowed/stream', { as });
  assert.doesNotMatch(resumed.text, /five days|refunds/);
  assert.match(resumed.text, /"code":"chat.permissions-changed"/);
});

test('HEAD requests do not count as clients of an answer after their responses', async () => {
  const { model, url, client } = service;
  model.behave({ does: 'stall', pieces: ['It takes '] });
  const { as } = await open('noether');
  const chat = new Chat(url, as, 'headed', { resumable: true });
  const stop = new AbortController();
  chat.onGrowth = (answer) => textOf(answer) !== '' && stop.abort();
  await chat.ask('refund', stop.signal).catch(() => null);
  // At most eight clients read an answer at the same time.
  for (let requests = 0; requests < 12; requests += 1) {
    const { status } = await client('/chat/headed/stream', { method: 'HEAD', as });
    assert.equal(status, 200);
  }
  assert.equal((await client('/chat/headed/stream', { method: 'DELETE', as })).status, 204);
});

test('a HEAD request for an answer that does not exist returns 204 without Content-Length', async () => {
  const { as } = await open('lovelace');
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await service.client('/chat/none/stream', { method, as });
    assert.equal(status, 204);
    for (const name of ['content-length', 'content-type', 'transfer-encoding'])
      assert.equal(headers.get(name), null, `${method} ${name}`);
  }
});

test('a request to stop ends a resumable answer, and its text so far is stored', async () => {
  const { model, url, client } = service;
  model.behave({ does: 'stall', pieces: ['It takes '] });
  const { as } = await open('hopper');
  const chat = new Chat(url, as, 'stopped', { resumable: true });
  chat.onGrowth = (answer) => {
    if (textOf(answer) !== '') void client('/chat/stopped/stream', { method: 'DELETE', as });
  };
  await chat.ask('refund');
  const rows = await service.rows("select text, state from messages where role = 'assistant'");
  assert.deepEqual(rows.at(-1), { text: 'It takes ', state: 'stopped' });
});

test('a request to resume has no body, and is rejected if the link was revoked or the ID is too long', async () => {
  const { as, linkId } = await open('eve');
  const resume = (id: string) => service.client(`/chat/${id}/stream`, { as });
  const { status, text } = await resume('unknown');
  assert.deepEqual([status, text], [204, '']);
  assert.equal((await resume('x'.repeat(201))).status, 400);
  await service.client(`/assistant-link/${linkId}`, { method: 'DELETE', as: service.session });
  assert.equal((await resume('unknown')).status, 410);
});
