import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat, citedBy, openLink, textOf } from '../support/chat.ts';
import { serviceOfThisFile } from '../support/file-service.ts';
import { addDocument } from '../support/knowledge.ts';
import { makeSpace, signIn } from '../support/provision.ts';

const { service, client } = await serviceOfThisFile();
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const ask = async (question: string, locale: string) => {
  const { as } = await openLink(client, session, { spaceId, widget: { locale } });
  return new Chat(service.url, as).ask(question);
};

test('where no model is configured the documents are quoted, with their names', async () => {
  await addDocument(client, session, spaceId, {
    fileName: 'refunds.txt',
    text: 'A refund takes five days.',
  });
  const answer = await ask('How long does a refund take?', 'en');
  assert.match(textOf(answer), /\nA refund takes five days\. \[1\]$/);
  assert.deepEqual(citedBy(answer), ['refunds.txt']);
  assert.equal(answer.metadata?.state, 'finished');
});

test('a question that does not tell its language is answered in that of the link', async () => {
  const [english, german] = [await ask('???', 'en'), await ask('???', 'de')].map(textOf);
  assert.match(english ?? '', /nothing/);
  assert.match(german ?? '', /nichts/);
});
