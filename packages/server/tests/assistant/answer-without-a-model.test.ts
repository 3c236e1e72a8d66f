import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chat, citedBy, openLink, textOf } from '../support/assistant/chat.ts';
import { formOf } from '../support/http/form.ts';
import { addDocument, untilDocumentIndexed } from '../support/knowledge/knowledge.ts';
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

test('an answer from a JSON file shows the record that contains the value', async () => {
  const bikes = [
    { model: 'Aurora', price: '2,490 EUR', battery: { capacity: '500 Wh' } },
    { model: 'Tide', price: '1,890 EUR', battery: { capacity: '400 Wh' } },
  ];
  const form = await formOf('bikes.json', JSON.stringify({ bikes }));
  const path = `/spaces/${spaceId}/documents`;
  const { json } = await client(path, { as: session, ...form });
  await untilDocumentIndexed(client, session, `${path}/${json['id']}`);
  assert.match(
    textOf(await ask('What is the price of the Aurora?', 'en')),
    /\n\| model \| price \| battery\.capacity \|\n\|---\|---\|---\|\n\| Aurora \| 2,490 EUR \| 500 Wh \|$/,
  );
});

test('the first line of a text file is the context of its sentences', async () => {
  await addDocument(client, session, spaceId, {
    fileName: 'notes.txt',
    text: 'Repair of lanterns\n\nOrders are checked first.\n\nThis takes three weeks.',
  });
  const answer = await ask('How long does the repair of lanterns take?', 'en');
  assert.match(textOf(answer), /\nThis takes three weeks\. \[1\]$/);
});
