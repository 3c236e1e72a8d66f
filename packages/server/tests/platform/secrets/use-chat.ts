import assert from 'node:assert/strict';
import type { Client } from '../../support/http/client.ts';
import type { Secrets } from './secrets.ts';

/** Sends valid and invalid requests to the chat. Questions and answers must never be printed. */
export async function useChat(
  { client, contents }: { readonly client: Client; readonly contents: Secrets },
  as: string,
  made: (what: string) => string,
): Promise<void> {
  const question = contents.add('question', made('question'));
  const comment = contents.add('comment on an answer', made('comment'));
  const chatId = contents.add('id of a chat', made('chat'));
  const part = { type: 'text', text: question };
  const ask = (status: number, body: unknown) => expect(status, client('/chat', { as, body }));
  const message = { id: chatId, role: 'user', parts: [part] };
  const answer = await ask(200, { id: chatId, messages: [message] });
  const [, id] = /"messageId":"([^"]+)"/.exec(answer.text) ?? [];
  const [, conversationId] = /"conversationId":"([^"]+)"/.exec(answer.text) ?? [];
  await ask(400, { messages: [{ role: question, parts: [{ ...part, type: question }] }] });
  await ask(400, {
    messages: [{ role: 'user', parts: [{ ...part, text: question.repeat(200) }] }],
  });
  await ask(400, `{"messages":"${question}`);
  const rate = `/chat/messages/${id}/feedback`;
  await expect(204, client(rate, { as, body: { rating: 'down', comment } }));
  await expect(400, client(rate, { as, body: { rating: comment, [comment]: 1 } }));
  const conversation = `/chat/conversations/${conversationId}`;
  const shown = await expect(200, client(conversation, { as }));
  assert.ok(shown.text.includes(question) && shown.text.includes(comment));
  await expect(400, client(`/chat/conversations/${question}`, { as }));
  await expect(400, client(`/chat/conversations?after=${question}`, { as }));
  await expect(404, client(`/chat/${question}`, { as }));
}

/** Asserts the status of a response. */
export async function expect<A extends { readonly status: number; readonly text: string }>(
  status: number,
  answering: Promise<A>,
): Promise<A> {
  const answer = await answering;
  assert.equal(answer.status, status, answer.text);
  return answer;
}
