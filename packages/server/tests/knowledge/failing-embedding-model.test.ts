import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, clientOf } from '../support/client.ts';
import {
  type Behaviour,
  DIMENSIONS,
  down,
  listOf,
  silent,
  startEmbeddingModel,
  vectorOf,
  well,
} from '../support/embedding-model.ts';
import { addDocument, inParallel, untilRead } from '../support/knowledge.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { startService, temporaryDirectory } from '../support/service.ts';
import { untilKept } from '../support/vectors.ts';

const KEY = 'sk-embedding-key-of-this-test';
const SECRET = 'unspeakable';
const model = await startEmbeddingModel();
after(() => model[Symbol.asyncDispose]());
const env = {
  GATEHOUSE_MODEL_URL: model.url,
  GATEHOUSE_MODEL_KEY: KEY,
  GATEHOUSE_EMBEDDING_MODEL: 'small',
  GATEHOUSE_LOG_LEVEL: 'trace',
};

/** A service on this directory with a space of its own, for one test. */
async function provisioned(dataDir: string) {
  const service = await startService(dataDir, { env, capture: true });
  const client = clientOf(service.url);
  const as = await signIn(client);
  const { id: spaceId } = await makeSpace(client, as);
  return { service, client, as, spaceId };
}

async function search(client: Client, as: string, spaceId: string, query: string) {
  const answer = await client(`/spaces/${spaceId}/search`, { as, body: { query } });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json['items'] as { fileName: string }[]).map(({ fileName }) => fileName);
}

const short = [1, 2, 3];
const failing: readonly (readonly [string, Behaviour])[] = [
  ['is down', down],
  ['is silent', silent],
  ['gives a vector too many', (texts) => listOf([...texts, ''].map(vectorOf))],
  ['gives no numbers', (texts) => listOf(texts.map(() => new Array(DIMENSIONS).fill(null)))],
  ['gives vectors of other dimensions to queries', (texts) => listOf(texts.map(() => short))],
  ['answers with a page', () => ({ status: 200, body: `<html>${SECRET}</html>` })],
];
for (const [what, behave] of failing)
  test(`while the model ${what}, words find what they find, and nothing is told to the log`, async () => {
    using directory = temporaryDirectory();
    model.behave = well;
    const { service, client, as, spaceId } = await provisioned(directory.path);
    try {
      const before = { fileName: 'before.txt', text: `topicbefore ${SECRET}` };
      await addDocument(client, as, spaceId, before);
      await untilKept(directory.path);
      model.behave = behave;
      const begun = performance.now();
      assert.deepEqual(await search(client, as, spaceId, `${SECRET} topicbefore`), ['before.txt']);
      assert.ok(performance.now() - begun < 4000, 'and nobody waits long');
      const during = { fileName: 'during.txt', text: `topicduring ${SECRET}` };
      assert.equal((await addDocument(client, as, spaceId, during)).state, 'ready');
      assert.ok((await search(client, as, spaceId, 'topicduring')).includes('during.txt'));
    } finally {
      await service.stop();
    }
    const { stdout, stderr } = service.output();
    assert.doesNotMatch(stdout + stderr, new RegExp(`${SECRET}|${KEY}|topic`));
    if (!what.includes('other dimensions')) assert.match(stdout, /the embedding model /);
  });

test('vectors that could not be made are made when the model is back', async () => {
  using directory = temporaryDirectory();
  model.behave = down;
  const { service, client, as, spaceId } = await provisioned(directory.path);
  try {
    await addDocument(client, as, spaceId, { fileName: 'waits.txt', text: 'topicwaits' });
    const asked = model.requests;
    while (model.requests === asked) await sleep(20);
    model.behave = well;
    await untilKept(directory.path);
    assert.deepEqual(await search(client, as, spaceId, 'aliaswaits'), ['waits.txt']);
  } finally {
    await service.stop();
  }
});

test('a document that the model refuses keeps none of the others back', async () => {
  using directory = temporaryDirectory();
  model.behave = (texts) =>
    texts.some((text) => text.includes('poison')) ? { status: 400, body: {} } : well(texts);
  const { service, client, as, spaceId } = await provisioned(directory.path);
  try {
    for (const name of ['a', 'poison', 'c', 'd'])
      await addDocument(client, as, spaceId, { fileName: `${name}.txt`, text: `topic${name}x` });
    await untilKept(directory.path, ({ waiting }) => waiting === 1);
    for (const name of ['a', 'c', 'd'])
      assert.equal((await search(client, as, spaceId, `alias${name}x`))[0], `${name}.txt`);
    assert.ok((await search(client, as, spaceId, 'topicpoisonx')).includes('poison.txt'));
    model.behave = well;
    await untilKept(directory.path);
  } finally {
    await service.stop();
  }
});

test('vectors are complete after the process was killed while they were made', async (t) => {
  using directory = temporaryDirectory();
  model.behave = async (texts) => {
    await sleep(30);
    return well(texts);
  };
  const { service, client, as, spaceId } = await provisioned(directory.path);
  const path = `/spaces/${spaceId}/documents`;
  const long = Array.from(
    { length: 150 },
    (_, at) => `## Part ${at}\n\n${'words and more '.repeat(30)}`,
  );
  await client(path, { as, body: { fileName: 'long.md', markdown: long.join('\n\n') } });
  await inParallel([...Array(150).keys()], 8, async (at) => {
    const body = { fileName: `${at}.txt`, text: `topicdocument${at}x` };
    assert.equal((await client(path, { as, body })).status, 201);
  });
  const half = await untilKept(directory.path, ({ rows }) => rows > 10);
  await service.stop('SIGKILL');
  t.diagnostic(`killed with ${half.waiting} documents left`);
  assert.ok(half.waiting > 0);
  const again = await startService(directory.path, { env });
  try {
    const ask = clientOf(again.url);
    const session = await signIn(ask);
    await untilRead(ask, session, spaceId);
    const kept = await untilKept(directory.path);
    const { json } = await ask(`${path}?limit=200`, { as: session });
    const documents = json['items'] as { passages: number }[];
    const passages = documents.reduce((sum, document) => sum + document.passages, 0);
    assert.equal(documents.length, 151);
    assert.equal(kept.passages, passages, 'each passage has its vector');
    assert.equal((await search(ask, session, spaceId, 'aliasdocument77x'))[0], '77.txt');
  } finally {
    await again.stop();
    model.behave = well;
  }
});
