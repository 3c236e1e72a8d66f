import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  type Behaviour,
  DIMENSIONS,
  down,
  listOf,
  silent,
  startEmbeddingModel,
  vectorOf,
  well,
} from '../../../tests/support/embedding-model.ts';
import { createEmbedder, EmbeddingFailed } from './embedder.ts';

const KEY = 'sk-very-secret-key';
const TEXT = 'what nobody may read in a log';
const model = await startEmbeddingModel();
const embedder = createEmbedder({ url: model.url, key: KEY, model: 'small' });
after(async () => {
  await embedder.close();
  await model[Symbol.asyncDispose]();
});

test('texts become vectors in their order, in one request that carries the key', async () => {
  const texts = ['one', 'another', 'a third'];
  const vectors = await embedder.embed(texts, 5000);
  assert.deepEqual(
    vectors.map((vector) => [...vector]),
    texts.map((text) => [...Float32Array.from(vectorOf(text))]),
  );
  assert.deepEqual([...model.keys], [`Bearer ${KEY}`]);
  assert.equal(model.requests, 1);
});

test('calls that run at the same time get what is theirs', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => `text${index}`);
  const vectors = await Promise.all(texts.map((text) => embedder.embed([text], 5000)));
  for (const [index, text] of texts.entries())
    assert.deepEqual([...(vectors[index]?.[0] ?? [])], [...Float32Array.from(vectorOf(text))]);
});

const first = vectorOf(TEXT);
const useless: readonly (readonly [string, Behaviour, RegExp])[] = [
  ['fails', down, /answered with status 503$/],
  ['refuses the key', () => ({ status: 401, body: 'no' }), /answered with status 401$/],
  ['is silent', silent, /did not answer within 300 ms$/],
  ['gives too few vectors', () => listOf([first]), /no list of vectors$/],
  ['gives too many vectors', () => listOf([first, first, first]), /no list of vectors$/],
  ['gives none', () => listOf([]), /no list of vectors$/],
  ['gives empty vectors', () => listOf([[], []]), /a vector of 0 dimensions$/],
  ['gives different dimensions', () => listOf([first, [1]]), /of different dimensions$/],
  ['gives zeros', () => listOf([first, first.map(() => 0)]), /a vector of zeros$/],
  ['gives null for a number', () => listOf([first, first.map(() => null)]), /no list of vectors$/],
  ['gives words', () => listOf([first, first.map(String)]), /no list of vectors$/],
  ['gives huge dimensions', () => listOf([1, 2].map(() => new Array(9000).fill(1))), /9000 dim/],
  [
    'gives what is no number in single precision',
    () => ({ status: 200, body: '{"data":[{"embedding":[1,1e300]},{"embedding":[1,2]}]}' }),
    /something that is no number$/,
  ],
  ['answers no JSON', () => ({ status: 200, body: `<html>${TEXT}` }), /no list of vectors$/],
  ['answers nothing', () => ({ status: 200, body: '' }), /no list of vectors$/],
];
for (const [what, behave, reason] of useless)
  test(`a model that ${what} is a failure without a text, a key or a cause`, async () => {
    const before = model.requests;
    model.behave = behave;
    await assert.rejects(embedder.embed([TEXT, 'two'], 300), (error: Error) => {
      assert.ok(error instanceof EmbeddingFailed);
      assert.match(error.message, /^the embedding model /);
      assert.match(error.message, reason);
      assert.equal(error.cause, undefined);
      assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /secret|nobody may read/);
      return true;
    });
    assert.equal(model.requests, before + 1, 'and is asked once');
    model.behave = well;
    const [vector] = await embedder.embed([TEXT], 5000);
    assert.equal(vector?.length, DIMENSIONS, 'and the next call is served');
  });

test('a model that is not there is a failure', async () => {
  const gone = await startEmbeddingModel();
  await gone[Symbol.asyncDispose]();
  const other = createEmbedder({ url: gone.url, key: null, model: 'small' });
  await assert.rejects(other.embed([TEXT], 2000), /could not be reached$/);
  await other.close();
});

test('closing rejects what waits and what comes later', async () => {
  model.behave = silent;
  const other = createEmbedder({ url: model.url, key: null, model: 'small' });
  const waiting = assert.rejects(other.embed([TEXT], 60_000), EmbeddingFailed);
  await other.close();
  await waiting;
  await assert.rejects(other.embed([TEXT], 1000), EmbeddingFailed);
  model.behave = well;
});
