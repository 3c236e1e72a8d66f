import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chat, citedBy, openLink, textOf } from '../support/assistant/chat.ts';
import { type ChatService, openChatService } from '../support/assistant/chat-service.ts';
import { framesOf, type ModelRequest, USAGE } from '../support/assistant/fake-model.ts';
import { echo, shownPrompt } from '../support/assistant/shown-prompt.ts';
import { ingest, makeEvent } from '../support/events/events.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { projectionsOf } from '../support/knowledge/projections.ts';
import { makeKey, makeSpace } from '../support/provision.ts';
import { ON_POSTGRES } from '../support/storage/backend.ts';
import { stored } from '../support/storage/stored.ts';

/** Makes the store reject answers with an error message that must not reach the client. */
const BREAK_ANSWERS = ON_POSTGRES
  ? [
      "create or replace function broken() returns trigger language plpgsql as 'begin raise exception ''secret detail''; end'",
      "create trigger broken before insert on messages for each row when (new.role = 'assistant') execute function broken()",
    ]
  : [
      "create trigger broken before insert on messages when new.role = 'assistant' begin select raise(abort, 'secret detail'); end",
    ];

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
beforeEach(() => service.model.behave(echo));
after(() => service[Symbol.asyncDispose]());

const open = (link: object = {}) =>
  openLink(service.client, service.session, { spaceId: service.space.id, ...link });

function lastPrompt() {
  const request = service.model.requests.at(-1);
  assert.ok(request);
  return { model: request.model, ...shownPrompt(request) };
}

test('the chat transport of the AI SDK receives a streamed answer and its sources', async () => {
  const { as } = await open({ permissionFilter: { team: { eq: 'support' } } });
  const chat = new Chat(service.url, as);
  const answer = await chat.ask('How long does a refund take?');
  assert.deepEqual(chat.errors, []);
  assert.equal(textOf(answer), 'You asked: How long does a refund take? [1]');
  assert.equal(answer.metadata?.state, 'finished');
  const source = answer.parts.find((part) => part.type === 'source-document');
  const { providerMetadata, ...shown } = source ?? {};
  const { documentId, ...where } = providerMetadata?.['gatehouse'] ?? {};
  assert.deepEqual(shown, {
    type: 'source-document',
    sourceId: `${documentId}#0`,
    mediaType: 'text/markdown',
    title: 'Refunds',
    filename: 'support.md',
  });
  assert.deepEqual(where, { number: 1, position: 0, heading: 'Refunds', url: null });
});

test('a client can read the cited passage', async () => {
  const { as } = await open();
  const answer = await new Chat(service.url, as).ask('refund of support');
  const source = answer.parts.find((part) => part.type === 'source-document');
  const { documentId, position } = source?.providerMetadata?.['gatehouse'] ?? {};
  const path = `/spaces/${service.space.id}/documents/${documentId}/passages`;
  const shown = await service.client(`${path}?position=${position}&limit=1`, { as });
  assert.equal(shown.status, 200);
  assert.match(shown.text, /within five days/);
});

test('the model receives only passages in the link’s scope, even when the model calls the search tool', async () => {
  service.model.behave((request) =>
    request.messages.some(({ role }) => role === 'tool')
      ? { does: 'answer', pieces: shownPrompt(request).passages.map(({ fileName }) => fileName) }
      : { does: 'search', queries: ['refund team sales'] },
  );
  const { as } = await open({ permissionFilter: { team: { eq: 'support' } } });
  const answer = await new Chat(service.url, as).ask('refund by the sales team?');
  // The prompt contains one passage with the question and the same passage from the search.
  assert.equal(textOf(answer), 'support.mdsupport.md');
  assert.doesNotMatch(service.model.requests.at(-1)?.text ?? '', /sales\.md|The sales team/);
});

test('the instructions contain the built-in rules, the bot’s prompt and the link’s insertion in this order, but no facts', async () => {
  await service.client(`/bots/${service.space.botId}`, {
    method: 'PATCH',
    as: service.session,
    body: { systemPrompt: 'Be kind.', model: 'large' },
  });
  const { as } = await open({
    systemPromptInsertion: 'Mention the sale.',
    context: { page: '/cart' },
    userInformation: { name: 'Ada' },
  });
  await new Chat(service.url, as).ask('Hello?');
  const { instructions, facts, model, passages } = lastPrompt();
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
  assert.deepEqual([model, passages], ['large', []]);
});

test('a question without words adds no passages to the prompt', async () => {
  const { as } = await open();
  assert.equal(textOf(await new Chat(service.url, as).ask('???')), 'You asked: ???');
  assert.deepEqual(lastPrompt().passages, []);
});

test('after the link is revoked, the next question is rejected', async () => {
  const { as, linkId } = await open();
  const chat = new Chat(service.url, as);
  await chat.ask('refund');
  const revoked = { method: 'DELETE', as: service.session };
  assert.equal((await service.client(`/assistant-link/${linkId}`, revoked)).status, 204);
  await assert.rejects(chat.ask('refund'), /links\.revoked/);
});

test('a running answer ends when its link is revoked, expires or is deleted', async () => {
  const { client, session, space } = service;
  const DELETE = { method: 'DELETE', as: session };
  const spare = await client(`/spaces/${space.id}/bots`, { as: session, body: { name: 'Spare' } });
  const botId = Number(spare.json['id']);
  const passTime = () => {
    service.skew += 61_000;
  };
  const endings = [
    [{ sub: 'r' }, 'links.revoked', (id: string) => client(`/assistant-link/${id}`, DELETE)],
    [{ sub: 'd', botId }, 'links.session-invalid', () => client(`/bots/${botId}`, DELETE)],
    [{ sub: 'e', ttlSeconds: 60 }, 'links.expired', passTime],
  ] as const;
  for (const [link, code, end] of endings) {
    const begun = Promise.withResolvers<ModelRequest>();
    service.model.behave((request) => {
      begun.resolve(request);
      return { does: 'stall', pieces: ['It takes '] };
    });
    const { as, linkId } = await open(link);
    const chat = new Chat(service.url, as);
    const asking = chat.ask('refund');
    const request = await begun.promise;
    await end(linkId);
    const answer = await asking;
    assert.equal(textOf(answer), 'It takes ');
    const { state, code: given, retriable } = answer.metadata ?? {};
    assert.deepEqual([state, given, retriable], ['failed', code, false]);
    assert.equal(await request.ended, false, 'the connection to the model is closed');
    const kept = 'select text, state, failure from messages where id = ?';
    const row = { text: 'It takes ', state: 'failed', failure: code };
    assert.deepEqual(await service.rows(kept, answer.id), [row]);
  }
  service.skew = 0;
});

test('a running answer ends when the filter of the space changes, and its text is hidden', async () => {
  const { client, session, space } = service;
  const begun = Promise.withResolvers<ModelRequest>();
  service.model.behave((request) => {
    begun.resolve(request);
    return { does: 'stall', pieces: ['It takes '] };
  });
  const setFilter = async (permissionFilter: object | null) => {
    const body = { permissionFilter };
    const answer = await client(`/spaces/${space.id}`, { method: 'PATCH', as: session, body });
    assert.equal(answer.status, 200, answer.text);
  };
  const { as } = await open({ sub: 'filtered' });
  const asking = new Chat(service.url, as).ask('refund');
  const request = await begun.promise;
  await setFilter({ or: [] });
  const { metadata } = await asking;
  const { state, code, retriable, conversationId } = metadata ?? {};
  assert.deepEqual([state, code, retriable], ['failed', 'chat.permissions-changed', true]);
  assert.equal(await request.ended, false, 'the connection to the model is closed');
  const shown = await client(`/chat/conversations/${conversationId}`, { as });
  const [, kept] = shown.json['messages'] as { metadata: { state?: string }; parts: object[] }[];
  assert.deepEqual([kept?.parts, kept?.metadata.state], [[], 'hidden']);
  await setFilter(null);
});

test('stores and reports a partial answer when the model fails, and a retry succeeds', async () => {
  const error = { message: 'Upstream timed out.', code: 504 };
  service.model.behave({
    does: 'send',
    bytes: `${framesOf(['It takes'])}data: ${JSON.stringify({ error })}\n\n`,
  });
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
  service.model.behave(echo);
  assert.equal(textOf(await chat.regenerate()), 'You asked: refund [1]');
});

test('an internal error reveals only the request ID, and the log contains the details', async () => {
  for (const statement of BREAK_ANSWERS) await stored(service.dataDir, statement);
  const before = service.logLines.length;
  const failed = async () => {
    const { text } = await service.client('/metrics');
    return Number(/^gatehouse_chat_turns_total\{outcome="failed"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const failedBefore = await failed();
  const chat = new Chat(service.url, (await open()).as);
  const answer = await chat.ask('refund');
  await stored(service.dataDir, `drop trigger broken${ON_POSTGRES ? ' on messages' : ''}`);
  assert.equal(
    await failed(),
    failedBefore + 1,
    'a turn counts as failed even if the answer could not be stored',
  );
  const [, id] =
    /^Something went wrong\. The server log contains details for request ([\w-]+)\.$/.exec(
      chat.errors.join(),
    ) ?? [];
  assert.doesNotMatch(JSON.stringify(answer), /secret detail/);
  const logged = service.logLines.slice(before).filter((line) => /secret detail/.test(line));
  assert.ok(logged.length > 0 && logged.every((line) => JSON.parse(line).requestId === id));
});

test('an empty answer from the model counts as a failed answer', async () => {
  service.model.behave({ does: 'answer', pieces: [] });
  const answer = await new Chat(service.url, (await open()).as).ask('refund');
  assert.equal(answer.metadata?.code, 'chat.answer-garbage');
});

test('a client that disconnects stops the model, and the text streamed so far is stored as a stopped answer', async () => {
  service.model.behave({ does: 'stall', pieces: ['It takes '] });
  const { as } = await open({ sub: 'leaving' });
  const stop = new AbortController();
  const chat = new Chat(service.url, as);
  chat.onGrowth = (answer) => {
    if (textOf(answer) !== '') stop.abort();
  };
  await chat.ask('refund', stop.signal).catch(() => null);
  assert.equal(await service.model.requests.at(-1)?.ended, false);
  const list = await service.client('/chat/conversations', { as });
  const [{ id }] = list.json['items'] as [{ id: string }];
  const answers = () =>
    service.rows(
      `select text, state from messages where conversation_id = ? and role = 'assistant'`,
      id,
    );
  while ((await answers()).length === 0) await sleep(10);
  assert.deepEqual(await answers(), [{ text: 'It takes ', state: 'stopped' }]);
});

test('a client that disconnects before its answer starts causes no error and no model request', async () => {
  service.model.behave({ does: 'stall', pieces: ['It takes '] });
  const { as } = await open({ sub: 'hasty' });
  const [first, second] = [new AbortController(), new AbortController()];
  const chat = new Chat(service.url, as, 'same');
  const begun = Promise.withResolvers<void>();
  chat.onGrowth = (answer) => {
    if (textOf(answer) !== '') begun.resolve();
  };
  const asking = chat.ask('refund', first.signal).catch(() => null);
  await begun.promise;
  const linesBefore = service.logLines.length;
  const askedBefore = service.model.requests.length;
  // This question waits until the previous answer has ended.
  const waiting = new Chat(service.url, as, 'same').ask('refund?', second.signal);
  await sleep(100);
  second.abort();
  await waiting.catch(() => null);
  // The service must notice the end of this connection before the end of the other one.
  await sleep(100);
  first.abort();
  await asking;
  const kept = `select text from messages join conversations on conversations.id = conversation_id
    where owner = 'sub:hasty' and role = 'user'`;
  while ((await service.rows(kept)).length < 2) await sleep(10);
  service.model.behave(echo);
  assert.match(textOf(await new Chat(service.url, as, 'same').ask('Now?')), /^You asked: Now\?/);
  assert.equal(service.model.requests.length, askedBefore + 1);
  const faults = service.logLines.slice(linesBefore).filter((line) => JSON.parse(line).level >= 50);
  assert.deepEqual(faults, []);
});

test('counts the tokens of each turn in the conversation and in the metrics', async () => {
  const { as } = await open({ sub: 'counted' });
  const { id } = await new Chat(service.url, as).ask('refund');
  assert.deepEqual(
    await service.rows('select input_tokens, output_tokens from messages where id = ?', id),
    [{ input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens }],
  );
  const { text } = await service.client('/metrics');
  assert.match(text, /gatehouse_chat_tokens_total\{direction="input"\} \d\d/);
  assert.match(text, /gatehouse_chat_turns_total\{outcome="finished"\} \d/);
});

test('records the model and, if prices are configured, the cost of an answer, even if the link stores no history', async () => {
  const unpriced = await new Chat(service.url, (await open({ sub: 'free' })).as).ask('refund');
  const costs = 'select cost_millionths from messages where id = ?';
  assert.deepEqual(await service.rows(costs, unpriced.id), [{ cost_millionths: null }]);
  await using priced = await openChatService({
    env: { GATEHOUSE_MODEL_PRICE_INPUT: '0.15', GATEHOUSE_MODEL_PRICE_OUTPUT: '2.5' },
  });
  const cost = 0.15 * USAGE.prompt_tokens + 2.5 * USAGE.completion_tokens;
  const link = { spaceId: priced.space.id };
  const { as } = await openLink(priced.client, priced.session, link);
  const { id } = await new Chat(priced.url, as).ask('refund');
  const rows = await priced.rows('select model, cost_millionths from messages where id = ?', id);
  assert.deepEqual(rows, [{ model: 'small', cost_millionths: Math.round(cost) }]);
  const off = { ...link, features: { chatHistory: false } };
  await new Chat(priced.url, (await openLink(priced.client, priced.session, off)).as).ask('refund');
  const { text } = await priced.client('/metrics');
  const counted = Number(/^gatehouse_chat_cost_total (\S+)$/m.exec(text)?.[1]);
  assert.ok(Math.abs(counted * 1_000_000 - 2 * cost) < 0.001, `${counted}`);
  assert.match(text, /^gatehouse_chat_turns_total\{outcome="finished"\} 2$/m);
});

test('an answer does not cite a document that is deleted before the model responds', async () => {
  const { id } = await addDocument(service.client, service.session, service.space.id, {
    fileName: 'brief.txt',
    text: 'A quokka lives here.',
  });
  service.model.behave(async (request) => {
    const path = `/spaces/${service.space.id}/documents/${id}`;
    await service.client(path, { method: 'DELETE', as: service.session });
    return echo(request);
  });
  const answer = await new Chat(service.url, (await open()).as).ask('quokka');
  assert.deepEqual(
    lastPrompt().passages.map(({ fileName }) => fileName),
    ['brief.txt'],
  );
  assert.equal(textOf(answer), 'You asked: quokka [1]');
  assert.deepEqual(citedBy(answer), []);
});

test('a service that stops aborts a running answer after a grace period', async () => {
  await using ending = await openChatService();
  const begun = Promise.withResolvers<void>();
  ending.model.behave({ does: 'stall', pieces: ['It takes'] });
  const { as } = await openLink(ending.client, ending.session, { spaceId: ending.space.id });
  const chat = new Chat(ending.url, as);
  chat.onGrowth = (answer) => {
    if (textOf(answer) !== '') begun.resolve();
  };
  const asking = chat.ask('refund');
  await begun.promise;
  await ending.stop();
  const answer = await asking;
  assert.deepEqual([textOf(answer), answer.metadata?.code], ['It takes', 'chat.restarting']);
  assert.deepEqual(await ending.rows('select state from messages where id = ?', answer.id), [
    { state: 'failed' },
  ]);
});

test('an answer suggests headings of other visible passages, unless the link disables suggestions', async () => {
  const { client, session, model, url } = service;
  const { id: spaceId } = await makeSpace(client, session);
  const add = (name: string, heading: string, level: number) =>
    addDocument(client, session, spaceId, {
      fileName: name,
      markdown: `# ${heading}\n\nEverything about the zebra.`,
      metadata: { level },
    });
  await add('a.md', 'Food of zebras', 1);
  await add('b.md', 'Stripes', 1);
  await add('c.md', 'Secret plans', 2);
  model.behave(echo);
  const permissionFilter = { level: { eq: 1 } };
  const suggestionsOf = async (features: object) => {
    const { as } = await openLink(client, session, { spaceId, permissionFilter, features });
    const answer = await new Chat(url, as).ask('Everything about the zebra?');
    const [source] = answer.parts.filter(({ type }) => type === 'source-document');
    assert.ok(source);
    return (answer.metadata as { suggestions?: string[] }).suggestions ?? [];
  };
  const suggested = await suggestionsOf({});
  assert.equal(suggested.length, 1);
  assert.ok(['Food of zebras', 'Stripes'].includes(String(suggested[0])));
  assert.deepEqual(await suggestionsOf({ suggestions: false }), []);
});

test('reasoning is streamed only if the link asks for it, and is neither stored nor part of the text', async () => {
  const { client, session, model, url } = service;
  model.behave({ does: 'reason', forMs: 10, pieces: ['Five days.'] });
  const { id: spaceId } = await makeSpace(client, session);
  const reasoningOf = async (features: object) => {
    const { as } = await openLink(client, session, { spaceId, features });
    const answer = await new Chat(url, as).ask('How long?');
    assert.equal(textOf(answer), 'Five days.');
    const { conversationId } = answer.metadata ?? {};
    const stored = await client(`/chat/conversations/${conversationId}`, { as });
    assert.ok(stored.text.includes('Five days.') && !stored.text.includes('hm '), stored.text);
    return answer.parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  };
  assert.equal(await reasoningOf({}), '');
  assert.equal(await reasoningOf({ reasoning: true }), 'hm '.repeat(10));
});

test('a model receives the state and the history of a record, and each fact names its event', async () => {
  const { client, session, model, url } = service;
  const { id: spaceId } = await makeSpace(client, session);
  const key = await makeKey(client, session, spaceId);
  const projections = projectionsOf(client, session, spaceId);
  const { id } = await projections.create();
  const changed = (eventId: string, status: string, time: string, subject = 'ord-1001') =>
    makeEvent({
      ...{ id: eventId, type: 'test.order.changed', subject, time },
      data: { status, customer: subject === 'ord-1001' ? 'ada' : 'bob' },
    });
  await ingest(client, {
    as: key,
    body: {
      events: [
        changed('e1', 'placed', '2026-05-01T08:00:00Z'),
        changed('e2', 'shipped', '2026-05-03T08:00:00Z'),
        changed('e3', 'lost', '2026-05-04T08:00:00Z', 'ord-1002'),
      ],
    },
  });
  await projections.untilCurrent(id);
  const permissionFilter = { customer: { eq: 'ada' } };
  const { as } = await openLink(client, session, { spaceId, permissionFilter });
  // The model repeats all that it knows about orders.
  model.behave((request) => {
    const { passages } = shownPrompt(request);
    return {
      does: 'answer',
      pieces: passages.map(({ number, text }) => `${text.replaceAll('\n', ' ')} [${number}]`),
    };
  });
  const answer = await new Chat(url, as).ask('Where is my order 1001?');
  const text = textOf(answer);
  assert.match(text, /^Order ord-1001 is shipped\./);
  assert.match(text, /3 May 2026: status: shipped[^.]*\(test\.order\.changed, event e2\)/);
  assert.match(text, /1 May 2026: status: placed[^.]*\(test\.order\.changed, event e1\)/);
  assert.ok(!/1002|lost|bob/.test(text), text);
  assert.deepEqual(citedBy(answer), ['Order ord-1001']);
});
