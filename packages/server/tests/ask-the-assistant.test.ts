import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerFailure } from '../src/ports/answerer.ts';
import { Chat, citedBy, openLink, textOf } from './support/chat.ts';
import { type ChatService, echo, openChatService } from './support/chat-service.ts';
import { addDocument } from './support/knowledge.ts';

let service: ChatService;
before(async () => {
  service = await openChatService();
  for (const team of ['sales', 'support'])
    await addDocument(service.client, service.session, service.space.id, {
      fileName: `${team}.md`,
      markdown: `# Refunds\n\nThe ${team} team pays a refund within five days.`,
      metadata: { team },
    });
});
after(() => service[Symbol.asyncDispose]());

const open = (link: object = {}) =>
  openLink(service.client, service.session, { spaceId: service.space.id, ...link });
const lastQuestion = () => service.questions.at(-1);

test('a question is answered through the transport of the AI SDK, part by part, with its sources', async () => {
  service.script = echo;
  const { as } = await open({ permissionFilter: { team: { eq: 'support' } } });
  const chat = new Chat(service.url, as);
  const answer = await chat.ask('How long does a refund take?');
  assert.deepEqual(chat.errors, []);
  assert.equal(textOf(answer), 'You asked: How long does a refund take?');
  assert.equal(answer.metadata?.state, 'finished');
  const source = answer.parts.find((part) => part.type === 'source-document');
  const { providerMetadata, ...shown } = source ?? {};
  const { documentId, ...where } = providerMetadata?.['gatehouse'] ?? {};
  assert.deepEqual(shown, {
    type: 'source-document',
    sourceId: `${documentId}#0`,
    mediaType: 'text/markdown',
    title: 'support.md',
    filename: 'support.md',
  });
  assert.deepEqual(where, { number: 1, position: 0, heading: 'Refunds' });
});

test('the cited passage can be opened where it stands', async () => {
  const { as } = await open();
  const answer = await new Chat(service.url, as).ask('refund of support');
  const source = answer.parts.find((part) => part.type === 'source-document');
  const { documentId, position } = source?.providerMetadata?.['gatehouse'] ?? {};
  const path = `/spaces/${service.space.id}/documents/${documentId}/passages`;
  const shown = await service.client(`${path}?position=${position}&limit=1`, { as });
  assert.equal(shown.status, 200);
  assert.match(shown.text, /within five days/);
});

test('the model is given what the link may see and nothing else, also when it searches itself', async () => {
  service.script = async function* (question) {
    const found = await question.search('refund team sales');
    yield { kind: 'text', text: found.map(({ fileName }) => fileName).join(' ') };
  };
  const { as } = await open({ permissionFilter: { team: { eq: 'support' } } });
  const answer = await new Chat(service.url, as).ask('refund by the sales team?');
  assert.equal(textOf(answer), 'support.md');
  assert.deepEqual(
    lastQuestion()?.passages.map(({ fileName }) => fileName),
    ['support.md'],
  );
});

test('the prompt has our rules, the bot’s and the link’s words in this order, and the facts apart', async () => {
  service.script = echo;
  await service.client(`/bots/${service.space.botId}`, {
    method: 'PATCH',
    as: service.session,
    body: { systemPrompt: 'Be kind.', model: 'large' },
  });
  const { as } = await open({
    systemPromptInsertion: 'Mention the sale.',
    context: { page: '/cart' },
    userInformation: { name: 'Ada' },
    widget: { locale: 'de' },
  });
  await new Chat(service.url, as).ask('Hello?');
  const { instructions = '', facts, model, locale, passages } = lastQuestion() ?? {};
  const order = ['from the passages', 'Be kind.', 'Mention the sale.'].map((words) =>
    instructions.indexOf(words),
  );
  assert.ok(order.every((at) => at >= 0));
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    order,
  );
  assert.equal(facts, '{"page":{"page":"/cart"},"person":{"name":"Ada"}}');
  assert.doesNotMatch(instructions, /Ada|cart/);
  assert.deepEqual([model, locale, passages], ['large', 'de', []]);
});

test('a question without a word is asked without passages', async () => {
  const { as } = await open();
  assert.equal(textOf(await new Chat(service.url, as).ask('???')), 'You asked: ???');
  assert.deepEqual(lastQuestion()?.passages, []);
});

test('a revoked link ends the chat with the next question', async () => {
  const { as, linkId } = await open();
  const chat = new Chat(service.url, as);
  await chat.ask('refund');
  const revoked = { method: 'DELETE', as: service.session };
  assert.equal((await service.client(`/assistant-link/${linkId}`, revoked)).status, 204);
  await assert.rejects(chat.ask('refund'), /links\.revoked/);
});

test('what the model was shown in an answer that broke off is said, and can be asked again', async () => {
  service.script = async function* () {
    yield { kind: 'text', text: 'It takes' };
    throw new AnswerFailure('stalled', 'no byte in 30 s');
  };
  const { as } = await open({ sub: 'broken' });
  const chat = new Chat(service.url, as);
  const answer = await chat.ask('refund');
  assert.equal(textOf(answer), 'It takes');
  assert.deepEqual(chat.errors, ['The assistant took too long to answer. Please try again.']);
  const { state, code, retriable, conversationId } = answer.metadata ?? {};
  assert.deepEqual([state, code, retriable], ['failed', 'chat.answer-stalled', true]);
  const shown = await service.client(`/chat/conversations/${conversationId}`, { as });
  const [, kept] = shown.json['messages'] as { metadata: { state?: string }; parts: object[] }[];
  assert.deepEqual(kept?.parts, [{ type: 'text', text: 'It takes' }]);
  assert.equal(kept?.metadata.state, 'failed');
  service.script = echo;
  assert.equal(textOf(await chat.regenerate()), 'You asked: refund');
});

test('a fault of ours says nothing but where to look, and is handed to the log', async () => {
  service.script = async function* () {
    yield* [];
    throw new Error('secret detail');
  };
  const before = service.failures.length;
  const chat = new Chat(service.url, (await open()).as);
  await chat.ask('refund');
  assert.match(chat.errors.join(), /^Something went wrong on our side\. The log has it under/);
  assert.match(String(service.failures[before]), /secret detail/);
});

test('a model that says nothing is a failure and no empty answer', async () => {
  service.script = async function* () {
    yield { kind: 'usage', inputTokens: 1, outputTokens: 0 };
  };
  const answer = await new Chat(service.url, (await open()).as).ask('refund');
  assert.equal(answer.metadata?.code, 'chat.answer-garbage');
});

test('a client that goes away stops the model, and what it was shown is kept as stopped', async () => {
  const stopped = Promise.withResolvers<void>();
  service.script = async function* ({ signal }) {
    yield { kind: 'text', text: 'It takes ' };
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    stopped.resolve();
    signal.throwIfAborted();
  };
  const { as } = await open({ sub: 'leaving' });
  const stop = new AbortController();
  const asking = new Chat(service.url, as).ask('refund', stop.signal).catch(() => null);
  await sleep(300);
  stop.abort();
  await asking;
  await stopped.promise;
  const list = await service.client('/chat/conversations', { as });
  const [{ id }] = list.json['items'] as [{ id: string }];
  const answers = () =>
    service.db
      .selectFrom('messages')
      .where('conversation_id', '=', id)
      .where('role', '=', 'assistant')
      .select(['text', 'state'])
      .execute();
  while ((await answers()).length === 0) await sleep(10);
  assert.deepEqual({ ...(await answers())[0] }, { text: 'It takes ', state: 'stopped' });
});

test('tokens are counted for each turn, in the conversation and for the operator', async () => {
  service.script = echo;
  const { as } = await open({ sub: 'counted' });
  const { id } = await new Chat(service.url, as).ask('refund');
  const row = await service.db
    .selectFrom('messages')
    .where('id', '=', id)
    .select(['input_tokens', 'output_tokens'])
    .executeTakeFirst();
  assert.deepEqual({ ...row }, { input_tokens: 10, output_tokens: 4 });
  assert.match(await service.metrics(), /gatehouse_chat_tokens_total\{direction="input"\} \d\d/);
  assert.match(await service.metrics(), /gatehouse_chat_turns_total\{outcome="finished"\} \d/);
});

test('an answer is not cited from a document that was taken away while it was written', async () => {
  const { id } = await addDocument(service.client, service.session, service.space.id, {
    fileName: 'brief.txt',
    text: 'A quokka lives here.',
  });
  service.script = async function* (question) {
    const path = `/spaces/${service.space.id}/documents/${id}`;
    await service.client(path, { method: 'DELETE', as: service.session });
    yield* echo(question);
  };
  const answer = await new Chat(service.url, (await open()).as).ask('quokka');
  assert.equal(lastQuestion()?.passages[0]?.documentId, id);
  assert.deepEqual(citedBy(answer), []);
});

test('a service that stops lets an answer go on for a while, and then says that it is cut off', async () => {
  await using ending = await openChatService();
  const begun = Promise.withResolvers<void>();
  ending.script = async function* ({ signal }) {
    yield { kind: 'text', text: 'It takes' };
    begun.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    signal.throwIfAborted();
  };
  const { as } = await openLink(ending.client, ending.session, { spaceId: ending.space.id });
  const chat = new Chat(ending.url, as);
  const asking = chat.ask('refund');
  await begun.promise;
  await ending.close();
  const answer = await asking;
  assert.deepEqual([textOf(answer), answer.metadata?.code], ['It takes', 'chat.restarting']);
  const row = ending.db.selectFrom('messages').where('id', '=', answer.id).select('state');
  assert.equal((await row.executeTakeFirst())?.state, 'failed');
});
