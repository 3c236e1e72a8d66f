import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startEmbeddingModel } from '../support/assistant/embedding-model.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { contractClient } from '../support/http/contract-client.ts';
import { addDocument } from '../support/knowledge/knowledge.ts';
import { untilVectorsStored } from '../support/knowledge/stored-vectors.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { serviceOfThisFile } from '../support/services/file-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';

const KEY = 'sk-embedding-key-of-this-test';
const model = await startEmbeddingModel();
after(() => model[Symbol.asyncDispose]());
const env = { GATEHOUSE_MODEL_URL: model.url, GATEHOUSE_MODEL_KEY: KEY };
const named = (name: string) => ({ ...env, GATEHOUSE_EMBEDDING_MODEL: name });
const { client, dataDir } = await serviceOfThisFile({ env: named('small') });
const session = await signIn(client);
const { id: spaceId } = await makeSpace(client, session);
const add = (fileName: string, text: string) =>
  addDocument(client, session, spaceId, { fileName, text });

interface Found {
  readonly fileName: string;
  readonly score: number;
  readonly position: number;
  readonly highlights: readonly unknown[];
}

async function search(query: string, within = spaceId, ask: Client = client, as = session) {
  const answer = await ask(`/spaces/${within}/search`, { as, body: { query, limit: 3 } });
  assert.equal(answer.status, 200, answer.text);
  return answer.json['items'] as Found[];
}

await add('dogs.txt', 'topicdog');
await add('cats.txt', 'topiccat and much else that is said of them');
await add('trains.txt', 'topictrain');
await untilVectorsStored(dataDir);

test('a query without matching words finds a document by meaning', async () => {
  const found = await search('aliascat');
  assert.equal(found[0]?.fileName, 'cats.txt');
  assert.equal(found[0]?.score, 1);
  assert.deepEqual(found[0]?.highlights, []);
  assert.deepEqual([...model.keys], [`Bearer ${KEY}`]);
});

test('a passage that matches by keywords and by meaning is returned once, ranked first and with highlights', async () => {
  const found = await search('topiccat much');
  assert.equal(found[0]?.fileName, 'cats.txt');
  assert.deepEqual(found[0]?.highlights, [
    [0, 8],
    [13, 17],
  ]);
  assert.equal(found.filter(({ fileName }) => fileName === 'cats.txt').length, 1);
});

test('a search for a quoted phrase finds only exact matches', async () => {
  assert.deepEqual(await search('"aliascat"'), []);
  assert.equal((await search('"topiccat and"')).length, 1);
});

test('every passage of a long document has its own vector', async () => {
  const parts = Array.from(
    { length: 100 },
    (_, at) => `## Part ${at}\n\n${`topicpart${at}x `.repeat(60)}`,
  );
  await addDocument(client, session, spaceId, {
    fileName: 'long.md',
    markdown: parts.join('\n\n'),
  });
  await untilVectorsStored(dataDir);
  for (const at of [0, 31, 32, 63, 99]) {
    const [first] = await search(`aliaspart${at}x`);
    assert.deepEqual([first?.fileName, first?.position], ['long.md', at]);
  }
});

test('a search does not find documents of another space', async () => {
  const other = await makeSpace(client, session);
  assert.deepEqual(await search('aliascat', other.id), []);
});

test('deleting a document removes its vectors', async () => {
  const { rows } = await untilVectorsStored(dataDir);
  const { id } = await add('short-lived.txt', 'topicmoth');
  await untilVectorsStored(dataDir, (kept) => kept.rows === rows + 1);
  assert.equal((await search('aliasmoth'))[0]?.fileName, 'short-lived.txt');
  const path = `/spaces/${spaceId}/documents/${id}`;
  assert.equal((await client(path, { method: 'DELETE', as: session })).status, 204);
  const found = await search('aliasmoth');
  assert.ok(found.every(({ fileName }) => fileName !== 'short-lived.txt'));
  await untilVectorsStored(dataDir, (kept) => kept.rows === rows && kept.sketches === rows);
});

test('deleting a space removes its vectors', async () => {
  const { rows } = await untilVectorsStored(dataDir);
  const { id } = await makeSpace(client, session);
  await addDocument(client, session, id, { fileName: 'a.txt', text: 'topicmoth' });
  await untilVectorsStored(dataDir, (kept) => kept.rows === rows + 1);
  await client(`/spaces/${id}`, { method: 'DELETE', as: session });
  await untilVectorsStored(dataDir, (kept) => kept.rows === rows && kept.sketches === rows);
});

test('configuring or changing the embedding model creates new vectors for existing documents', async () => {
  using directory = temporaryDirectory();
  let space = '';
  {
    await using service = await startService(directory.path);
    const ask = contractClient(clientOf(service.url));
    const as = await signIn(ask);
    space = (await makeSpace(ask, as)).id;
    await addDocument(ask, as, space, { fileName: 'old.txt', text: 'topicold' });
    assert.deepEqual(await search('aliasold', space, ask, as), [], 'keywords only');
  }
  for (const name of ['one', 'other']) {
    await using service = await startService(directory.path, { env: named(name) });
    const ask = contractClient(clientOf(service.url));
    const as = await signIn(ask);
    const kept = await untilVectorsStored(directory.path, ({ models }) => models[0] === name);
    assert.deepEqual(kept.models, [name]);
    await untilVectorsStored(directory.path);
    assert.equal((await search('aliasold', space, ask, as))[0]?.fileName, 'old.txt');
  }
  await using service = await startService(directory.path);
  const ask = contractClient(clientOf(service.url));
  const as = await signIn(ask);
  assert.deepEqual(await search('aliasold', space, ask, as), [], 'keywords only without a model');
  assert.equal((await search('topicold', space, ask, as)).length, 1);
});
