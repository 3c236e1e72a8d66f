import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat, citedBy, openLink, textOf } from '../support/assistant/chat.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';

const { service, client } = await serviceOfThisFile();
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const ask = async (question: string, locale: string) => {
  const { as } = await openLink(client, session, { spaceId, widget: { locale } });
  return new Chat(service.url, as).ask(question);
};

test('quotes and cites documents if no model is configured', async () => {
  await addDocument(client, session, spaceId, {
    fileName: 'refunds.txt',
    text: 'A refund takes five days.',
  });
  const answer = await ask('How long does a refund take?', 'en');
  assert.match(textOf(answer), /\nA refund takes five days\. \[1\]$/);
  assert.deepEqual(citedBy(answer), ['refunds.txt']);
  assert.equal(answer.metadata?.state, 'finished');
});

test('answers in the link’s language if the language of the question cannot be detected', async () => {
  const [english, german] = [await ask('???', 'en'), await ask('???', 'de')].map(textOf);
  assert.match(english ?? '', /nothing/);
  assert.match(german ?? '', /nichts/);
});
