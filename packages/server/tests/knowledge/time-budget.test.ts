import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientResponse } from '../support/http/client.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

const { client } = await serviceOfThisFile({
  env: {
    GATEHOUSE_RATE_LIMIT_READS_LINK: '0',
    // A caller may use 10 ms at once.
    GATEHOUSE_SEARCH_TIME_LINK: '1',
    GATEHOUSE_SEARCH_TIME_CALLER: '1',
  },
});
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const key = await makeKey(client, session, spaceId);
/** A filter that takes about a millisecond to prepare. */
const filter = { or: Array.from({ length: 200 }, (_, n) => ({ search: `nowhere ${n}` })) };
const search = (as: string) =>
  client(`/spaces/${spaceId}/search`, { as, body: { query: 'needle', filter } });

async function newSession(): Promise<string> {
  const { token } = await makeLink(client, key, { spaceId });
  return exchangeLink(client, token);
}

async function untilRejected(as: string): Promise<ClientResponse> {
  let answer = await search(as);
  await until('the time is used up', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => search(as)));
    answer = answers.at(-1) ?? answer;
    for (const { status, text } of answers) assert.ok(status === 200 || status === 429, text);
    return answer.status === 429;
  });
  return answer;
}

for (const [kind, credential] of [
  ['access link', newSession],
  ['API key', async () => key],
  ['user', async () => session],
] as const)
  test(`the searches and reads of one ${kind} have a time budget`, async () => {
    const as = await credential();
    const { json, headers } = await untilRejected(as);
    assert.equal(json['code'], 'http.time-budget-used');
    assert.match(String(json['message']), new RegExp(`of this ${kind} have used up their time`));
    assert.ok(Number(headers.get('retry-after')) >= 1);
  });

test('the sessions of a link share a budget, and another link has its own', async () => {
  const { token } = await makeLink(client, key, { spaceId });
  const first = await exchangeLink(client, token);
  const renewed = await exchangeLink(client, token);
  // The budget grows with time, so it can suffice again when a slow machine asks.
  await until('another session of the link is rejected', async () => {
    await untilRejected(first);
    return (await search(renewed)).status === 429;
  });
  const { status, text } = await search(await newSession());
  assert.equal(status, 200, text);
});

test('a question of a link that has used up its time is answered as overloaded', async () => {
  const as = await newSession();
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'Is there a needle?' }] }];
  // The budget grows with time, so it can suffice again when a slow machine asks.
  await until('a question finds no time left', async () => {
    await untilRejected(as);
    const answer = await client('/chat', { as, body: { messages } });
    assert.equal(answer.status, 200);
    return answer.text.includes('chat.answer-overloaded');
  });
});
