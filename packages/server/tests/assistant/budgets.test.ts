import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { Chat, citedBy, openLink, textOf } from '../support/assistant/chat.ts';
import { openChatService } from '../support/assistant/chat-service.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { signIn } from '../support/provision.ts';

/* The fake model reports 11 input tokens and 7 output tokens per answer. */
const TOKENS = 18;
const QUESTION = 'How long does a refund take?';
const NOTICE = /budget for the language model is used up/;

const service = await openChatService({
  env: { GATEHOUSE_MODEL_PRICE_INPUT: '1', GATEHOUSE_MODEL_PRICE_OUTPUT: '2' },
});
after(() => service[Symbol.asyncDispose]());
const { client, space, model, url } = service;
let { session } = service;
await addDocument(client, session, space.id, {
  fileName: 'returns.md',
  text: 'A refund takes five days.',
});

const setBudget = async (budget: object | null) => {
  const path = `/spaces/${space.id}`;
  const changed = await client(path, { method: 'PATCH', as: session, body: { budget } });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.json['budget'], budget);
};
beforeEach(async () => {
  // Each test has a day of its own.
  service.skew += 86_400_000;
  // The session of the service ends after a week.
  session = await signIn(client);
  model.reset();
  model.behave({ does: 'answer', pieces: ['Five days [1].'] });
  await setBudget(null);
});

const chatOf = async (link: object = {}) =>
  new Chat(url, (await openLink(client, session, { spaceId: space.id, ...link })).as);

test('a model answers below the limit of a space, and documents are quoted at the limit', async () => {
  await setBudget({ tokensPerDay: TOKENS + 1 });
  for (const count of [1, 2]) {
    assert.equal(textOf(await (await chatOf()).ask(QUESTION)), 'Five days [1].');
    assert.equal(model.requests.length, count);
  }
  const answer = await (await chatOf()).ask(QUESTION);
  assert.match(textOf(answer), NOTICE);
  assert.match(textOf(answer), /A refund takes five days\. \[1\]/);
  assert.deepEqual(citedBy(answer), ['returns.md']);
  assert.equal(answer.metadata?.state, 'finished');
  assert.equal(model.requests.length, 2);

  service.skew += 86_400_000;
  assert.equal(textOf(await (await chatOf()).ask(QUESTION)), 'Five days [1].');
});

test('an answer names the used budget in the language of the question, also if nothing is found', async () => {
  await setBudget({ tokensPerDay: 1 });
  await (await chatOf()).ask(QUESTION);
  const chat = await chatOf();
  assert.match(
    textOf(await chat.ask('Wie viel kostet der Versand nach Österreich?')),
    /Budget für/,
  );
  assert.doesNotMatch(textOf(await chat.ask('Thank you!')), NOTICE);
});

test('the budget of a link limits this link only, and the browser does not receive it', async () => {
  const budget = { tokensPerMonth: TOKENS };
  const link = await openLink(client, session, { spaceId: space.id, budget });
  const chat = new Chat(url, link.as);
  assert.equal(textOf(await chat.ask(QUESTION)), 'Five days [1].');
  assert.match(textOf(await chat.ask(QUESTION)), NOTICE);
  assert.equal(textOf(await (await chatOf({ budget })).ask(QUESTION)), 'Five days [1].');

  const exchanged = await client('/assistant-link/exchange', {
    body: { linkToken: link.linkToken },
  });
  assert.ok(!exchanged.text.includes('tokensPerMonth'));
  const shown = await client(`/assistant-link/${link.linkId}`, { as: session });
  assert.deepEqual((shown.json['jwtPayload'] as { budget?: object }).budget, budget);
});

test('previews and stopped answers count towards the budget of the space', async () => {
  await setBudget({ costPerDay: 0.000025 });
  const body = { permissionFilter: {}, question: QUESTION };
  const path = `/spaces/${space.id}/access-preview/ask`;
  const preview = async () => (await client(path, { as: session, body })).text;
  assert.match(await preview(), /Five days/);
  assert.match(await preview(), NOTICE);
  assert.equal(model.requests.length, 1);
});

test('the usage of a space shows its budget', async () => {
  const usage = async () =>
    (await client(`/spaces/${space.id}/usage`, { as: session })).json['budget'];
  assert.equal(await usage(), null);
  const limits = { tokensPerDay: TOKENS, costPerDay: 1 };
  await setBudget(limits);
  await (await chatOf()).ask(QUESTION);
  const { month, ...state } = (await usage()) as { month: { tokens: number } };
  const day = { tokens: TOKENS, cost: 0.000025 };
  assert.deepEqual(state, { limits, day, isUsedUp: true });
  assert.ok(month.tokens >= TOKENS);
});

test('limits outside their ranges are rejected', async () => {
  const budgets = [
    { tokensPerDay: 0 },
    { tokensPerDay: 1.5 },
    { tokensPerMonth: 2 ** 53 },
    { costPerDay: 0 },
    { costPerMonth: 1_000_000_000.5 },
    { tokens: 5 },
  ];
  for (const budget of budgets) {
    const patch = { method: 'PATCH', as: session, body: { budget } };
    assert.equal((await client(`/spaces/${space.id}`, patch)).status, 400, JSON.stringify(budget));
    const link = { as: session, body: { spaceId: space.id, budget } };
    assert.equal((await client('/assistant-link', link)).status, 400, JSON.stringify(budget));
  }
  await setBudget({ tokensPerMonth: Number.MAX_SAFE_INTEGER, costPerMonth: 1_000_000_000 });
  await setBudget({ costPerDay: 0.000001 });
  await setBudget({});
});
