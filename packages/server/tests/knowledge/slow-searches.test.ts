/** Searches that wait for the embedding model, or for other searches, while the right of their caller ends. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddingModel, well } from '../support/assistant/embedding-model.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { exchangeLink, makeKey, makeLink, makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { until } from '../support/until.ts';

const model = await startEmbeddingModel();
after(() => model[Symbol.asyncDispose]());
const { client } = await serviceOfThisFile({
  env: { GATEHOUSE_MODEL_URL: model.url, GATEHOUSE_EMBEDDING_MODEL: 'small' },
});
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const document = { fileName: 'salaries.txt', text: 'The salary of Ada is 5,000.' };
await addDocument(client, session, spaceId, document);
await until('the document is embedded', () => model.requests > 0);

/** Sends searches and ends the credential while the model has the first of them. Returns the statuses. */
async function searchAround(as: string, endPath: string, bodies: readonly object[]) {
  const ended = Promise.withResolvers<void>();
  const before = model.requests;
  model.behave = async (texts) => {
    await ended.promise;
    return well(texts);
  };
  const searches = bodies.map((body) => client(`/spaces/${spaceId}/search`, { as, body }));
  await until('the model has a query', () => model.requests > before);
  // The service confirms the credential if a search takes longer than 100 ms.
  await sleep(150);
  assert.equal((await client(endPath, { method: 'DELETE', as: session })).status, 204);
  ended.resolve();
  const answers = await Promise.all(searches);
  for (const { text } of answers) assert.doesNotMatch(text, /5,000/);
  return answers.map(({ status }) => status);
}

async function newKey() {
  const as = await makeKey(client, session, spaceId, ['read']);
  const keys = await client(`/spaces/${spaceId}/api-keys`, { as: session });
  const { id } = (keys.json['items'] as { id: string }[]).at(-1) ?? assert.fail();
  return { as, endPath: `/spaces/${spaceId}/api-keys/${id}` };
}

test('a search is rejected if its key is revoked while the model embeds the query', async () => {
  const { as, endPath } = await newKey();
  assert.deepEqual(await searchAround(as, endPath, [{ query: 'salary' }]), [401]);
});

test('a search is rejected if its link is revoked while the model embeds the query', async () => {
  const { id, token } = await makeLink(client, session, { spaceId });
  const as = await exchangeLink(client, token);
  assert.deepEqual(await searchAround(as, `/assistant-link/${id}`, [{ query: 'salary' }]), [410]);
});

test('searches with large bodies that wait for each other are rejected if their key is revoked', async () => {
  const { as, endPath } = await newKey();
  const values = Array.from({ length: 500 }, (_, index) => `value ${index}`);
  const body = { query: 'salary', filter: { fileName: { in: [...values, document.fileName] } } };
  const bodies = Array.from({ length: 8 }, () => body);
  assert.deepEqual(await searchAround(as, endPath, bodies), Array(8).fill(401));
});
