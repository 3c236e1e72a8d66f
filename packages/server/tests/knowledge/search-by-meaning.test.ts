import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Client, clientOf } from '../support/client.ts';
import { contractClient } from '../support/contract-client.ts';
import { startEmbeddingModel } from '../support/embedding-model.ts';
import { serviceOfThisFile } from '../support/file-service.ts';
import { addDocument } from '../support/knowledge.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { untilKept } from '../support/vectors.ts';

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
await untilKept(dataDir);

test('what no word of a document says is found by its meaning', async () => {
  const found = await search('aliascat');
  assert.equal(found[0]?.fileName, 'cats.txt');
  assert.equal(found[0]?.score, 1);
  assert.deepEqual(found[0]?.highlights, []);
  assert.deepEqual([...model.keys], [`Bearer ${KEY}`]);
});

test('what words and meaning both find comes first, once, with its words marked', async () => {
  const found = await search('topiccat');
  assert.equal(found[0]?.fileName, 'cats.txt');
  assert.deepEqual(found[0]?.highlights, [[0, 8]]);
  assert.equal(found.filter(({ fileName }) => fileName === 'cats.txt').length, 1);
});

test('a quoted phrase asks for these very words', async () => {
  assert.deepEqual(await search('"aliascat"'), []);
  assert.equal((await search('"topiccat and"')).length, 1);
});

test('each passage of a long document is found by its own meaning', async () => {
  const parts = Array.from(
    { length: 100 },
    (_, at) => `## Part ${at}\n\n${`topicpart${at}x `.repeat(60)}`,
  );
  await addDocument(client, session, spaceId, {
    fileName: 'long.md',
    markdown: parts.join('\n\n'),
  });
  await untilKept(dataDir);
  for (const at of [0, 31, 32, 63, 99]) {
    const [first] = await search(`aliaspart${at}x`);
    assert.deepEqual([first?.fileName, first?.position], ['long.md', at]);
  }
});

test('another space is not looked at', async () => {
  const other = await makeSpace(client, session);
  assert.deepEqual(await search('aliascat', other.id), []);
});

test('the vectors of a deleted document are removed, and it is not found', async () => {
  const { rows } = await untilKept(dataDir);
  const { id } = await add('short-lived.txt', 'topicmoth');
  await untilKept(dataDir, (kept) => kept.rows === rows + 1);
  assert.equal((await search('aliasmoth'))[0]?.fileName, 'short-lived.txt');
  const path = `/spaces/${spaceId}/documents/${id}`;
  assert.equal((await client(path, { method: 'DELETE', as: session })).status, 204);
  const found = await search('aliasmoth');
  assert.ok(found.every(({ fileName }) => fileName !== 'short-lived.txt'));
  await untilKept(dataDir, (kept) => kept.rows === rows && kept.sketches === rows);
});

test('the vectors of a space that is gone are removed', async () => {
  const { rows } = await untilKept(dataDir);
  const { id } = await makeSpace(client, session);
  await addDocument(client, session, id, { fileName: 'a.txt', text: 'topicmoth' });
  await untilKept(dataDir, (kept) => kept.rows === rows + 1);
  await client(`/spaces/${id}`, { method: 'DELETE', as: session });
  await untilKept(dataDir, (kept) => kept.rows === rows && kept.sketches === rows);
});

test('documents from before there was a model get their vectors, and another model makes them anew', async () => {
  using directory = temporaryDirectory();
  let space = '';
  {
    await using service = await startService(directory.path);
    const ask = contractClient(clientOf(service.url));
    const as = await signIn(ask);
    space = (await makeSpace(ask, as)).id;
    await addDocument(ask, as, space, { fileName: 'old.txt', text: 'topicold' });
    assert.deepEqual(await search('aliasold', space, ask, as), [], 'by words alone');
  }
  for (const name of ['one', 'other']) {
    await using service = await startService(directory.path, { env: named(name) });
    const ask = contractClient(clientOf(service.url));
    const as = await signIn(ask);
    const kept = await untilKept(directory.path, ({ models }) => models[0] === name);
    assert.deepEqual(kept.models, [name]);
    await untilKept(directory.path);
    assert.equal((await search('aliasold', space, ask, as))[0]?.fileName, 'old.txt');
  }
  await using service = await startService(directory.path);
  const ask = contractClient(clientOf(service.url));
  const as = await signIn(ask);
  assert.deepEqual(await search('aliasold', space, ask, as), [], 'and without one by words again');
  assert.equal((await search('topicold', space, ask, as)).length, 1);
});
