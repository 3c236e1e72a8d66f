import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Behaviour,
  DIMENSIONS,
  down,
  listOf,
  silent,
  startEmbeddingModel,
  vectorOf,
  well,
} from '../support/assistant/embedding-model.ts';
import { type Client, clientOf } from '../support/http/client.ts';
import { addDocument, inParallel, untilIndexed } from '../support/knowledge/knowledge.ts';
import { untilVectorsStored } from '../support/knowledge/stored-vectors.ts';
import { makeSpace, signIn } from '../support/provision.ts';
import { startInProcess } from '../support/services/in-process-service.ts';
import { startService, temporaryDirectory } from '../support/services/service.ts';

const KEY = 'sk-embedding-key-of-this-test';
const SECRET = 'unspeakable';
const model = await startEmbeddingModel();
after(() => model[Symbol.asyncDispose]());
const env = {
  GATEHOUSE_MODEL_URL: model.url,
  GATEHOUSE_MODEL_KEY: KEY,
  GATEHOUSE_EMBEDDING_MODEL: 'small',
} as const;

async function provisioned({ url }: { readonly url: string }) {
  const client = clientOf(url);
  const as = await signIn(client);
  const { id: spaceId } = await makeSpace(client, as);
  return { client, as, spaceId };
}

async function search(client: Client, as: string, spaceId: string, query: string) {
  const answer = await client(`/spaces/${spaceId}/search`, { as, body: { query } });
  assert.equal(answer.status, 200, answer.text);
  return (answer.json['items'] as { fileName: string }[]).map(({ fileName }) => fileName);
}

const short = [1, 2, 3];
const failing: readonly (readonly [string, Behaviour])[] = [
  ['is down', down],
  ['does not respond', silent],
  ['returns too many vectors', (texts) => listOf([...texts, ''].map(vectorOf))],
  [
    'returns vectors without numbers',
    (texts) => listOf(texts.map(() => new Array(DIMENSIONS).fill(null))),
  ],
  ['returns vectors of other dimensions for queries', (texts) => listOf(texts.map(() => short))],
  ['returns an HTML page', () => ({ status: 200, body: `<html>${SECRET}</html>` })],
];
for (const [what, behave] of failing)
  test(`if the embedding model ${what}, keyword search works and neither secrets nor document text are logged`, async () => {
    using directory = temporaryDirectory();
    model.behave = well;
    const lines: string[] = [];
    const service = await startInProcess(directory.path, {
      env,
      onLog: (line) => lines.push(line),
    });
    try {
      const { client, as, spaceId } = await provisioned(service);
      const before = { fileName: 'before.txt', text: `topicbefore ${SECRET}` };
      await addDocument(client, as, spaceId, before);
      await untilVectorsStored(directory.path);
      model.behave = behave;
      const startedAt = performance.now();
      assert.deepEqual(await search(client, as, spaceId, `${SECRET} topicbefore`), ['before.txt']);
      assert.ok(performance.now() - startedAt < 30_000, 'the search waited for the model');
      const during = { fileName: 'during.txt', text: `topicduring ${SECRET}` };
      assert.equal((await addDocument(client, as, spaceId, during)).state, 'ready');
      assert.ok((await search(client, as, spaceId, 'topicduring')).includes('during.txt'));
    } finally {
      await service.stop();
    }
    const log = lines.join('');
    assert.doesNotMatch(log, new RegExp(`${SECRET}|${KEY}|topic`));
    if (!what.includes('other dimensions')) assert.match(log, /the embedding model /);
  });

test('missing vectors are created after the embedding model recovers', async () => {
  using directory = temporaryDirectory();
  model.behave = down;
  const service = await startInProcess(directory.path, { env });
  try {
    const { client, as, spaceId } = await provisioned(service);
    await addDocument(client, as, spaceId, { fileName: 'waits.txt', text: 'topicwaits' });
    const asked = model.requests;
    while (model.requests === asked) await sleep(20);
    model.behave = well;
    await untilVectorsStored(directory.path);
    assert.deepEqual(await search(client, as, spaceId, 'aliaswaits'), ['waits.txt']);
  } finally {
    await service.stop();
  }
});

test('a document or query that the embedding model rejects does not affect others', async () => {
  using directory = temporaryDirectory();
  model.behave = (texts) =>
    texts.some((text) => text.includes('poison')) ? { status: 400, body: {} } : well(texts);
  const service = await startInProcess(directory.path, { env });
  try {
    const { client, as, spaceId } = await provisioned(service);
    for (const name of ['a', 'poison', 'c', 'd'])
      await addDocument(client, as, spaceId, { fileName: `${name}.txt`, text: `topic${name}x` });
    await untilVectorsStored(directory.path, ({ waiting }) => waiting === 1);
    for (const name of ['a', 'c', 'd'])
      assert.equal((await search(client, as, spaceId, `alias${name}x`))[0], `${name}.txt`);
    assert.ok((await search(client, as, spaceId, 'topicpoisonx')).includes('poison.txt'));
    // The model rejected that query. Other queries still get vectors.
    assert.equal((await search(client, as, spaceId, 'aliascx'))[0], 'c.txt');
    model.behave = well;
    await untilVectorsStored(directory.path);
  } finally {
    await service.stop();
  }
});

test('all vectors are created even if the process is killed while it creates them', async (t) => {
  using directory = temporaryDirectory();
  model.behave = async (texts) => {
    await sleep(30);
    return well(texts);
  };
  const service = await startService(directory.path, { env });
  const { client, as, spaceId } = await provisioned(service);
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
  const half = await untilVectorsStored(directory.path, ({ rows }) => rows > 10);
  await service.stop('SIGKILL');
  t.diagnostic(`killed with ${half.waiting} documents left`);
  assert.ok(half.waiting > 0);
  const restarted = await startService(directory.path, { env });
  try {
    const ask = clientOf(restarted.url);
    const session = await signIn(ask);
    await untilIndexed(ask, session, spaceId);
    const kept = await untilVectorsStored(directory.path);
    const { json } = await ask(`${path}?limit=200`, { as: session });
    const documents = json['items'] as { passages: number }[];
    const passages = documents.reduce((sum, document) => sum + document.passages, 0);
    assert.equal(documents.length, 151);
    assert.equal(kept.passages, passages, 'every passage has a vector');
    assert.equal((await search(ask, session, spaceId, 'aliasdocument77x'))[0], '77.txt');
  } finally {
    await restarted.stop();
    model.behave = well;
  }
});
