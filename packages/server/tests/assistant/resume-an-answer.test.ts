import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Chat, openLink } from '../support/assistant/chat.ts';
import { type ChatService, openChatService } from '../support/assistant/chat-service.ts';

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

test('a request to resume has no body, and is rejected if the link was revoked or the id is too long', async () => {
  const { as, linkId } = await open('eve');
  const resume = (id: string) => service.client(`/chat/${id}/stream`, { as });
  const { status, text } = await resume('unknown');
  assert.deepEqual([status, text], [204, '']);
  assert.equal((await resume('x'.repeat(201))).status, 400);
  await service.client(`/assistant-link/${linkId}`, { method: 'DELETE', as: service.session });
  assert.equal((await resume('unknown')).status, 410);
});
