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
} from '../../../tests/support/assistant/embedding-model.ts';
import { createEmbedder, EmbeddingFailed } from './embedder.ts';

const KEY = 'sk-very-secret-key';
const TEXT = 'this text must never be logged';
const model = await startEmbeddingModel();
const embedder = createEmbedder({ url: model.url, key: KEY, model: 'small' });
after(async () => {
  await embedder.close();
  await model[Symbol.asyncDispose]();
});

test('the embedder returns the vectors in the order of the texts, with one authenticated request', async () => {
  const texts = ['one', 'another', 'a third'];
  const vectors = await embedder.embed(texts, 5000);
  assert.deepEqual(
    vectors.map((vector) => [...vector]),
    texts.map((text) => [...Float32Array.from(vectorOf(text))]),
  );
  assert.deepEqual([...model.keys], [`Bearer ${KEY}`]);
  assert.equal(model.requests, 1);
});

test('concurrent calls of the embedder each receive their own vectors', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => `text${index}`);
  const vectors = await Promise.all(texts.map((text) => embedder.embed([text], 5000)));
  for (const [index, text] of texts.entries())
    assert.deepEqual([...(vectors[index]?.[0] ?? [])], [...Float32Array.from(vectorOf(text))]);
});

const first = vectorOf(TEXT);
const failures: readonly (readonly [string, Behaviour, RegExp])[] = [
  ['responds with an error', down, /returned status 503$/],
  ['rejects the key', () => ({ status: 401, body: 'no' }), /returned status 401$/],
  ['does not respond', silent, /did not respond within 300 ms$/],
  ['returns too few vectors', () => listOf([first]), /no list of vectors$/],
  ['returns too many vectors', () => listOf([first, first, first]), /no list of vectors$/],
  ['returns no vectors', () => listOf([]), /no list of vectors$/],
  ['returns empty vectors', () => listOf([[], []]), /a vector of 0 dimensions$/],
  [
    'returns vectors of different dimensions',
    () => listOf([first, [1]]),
    /of different dimensions$/,
  ],
  ['returns a vector of zeros', () => listOf([first, first.map(() => 0)]), /a vector of zeros$/],
  [
    'returns null instead of a number',
    () => listOf([first, first.map(() => null)]),
    /no list of vectors$/,
  ],
  [
    'returns strings instead of numbers',
    () => listOf([first, first.map(String)]),
    /no list of vectors$/,
  ],
  [
    'returns too many dimensions',
    () => listOf([1, 2].map(() => new Array(9000).fill(1))),
    /9000 dim/,
  ],
  [
    'returns a number beyond single precision',
    () => ({ status: 200, body: '{"data":[{"embedding":[1,1e300]},{"embedding":[1,2]}]}' }),
    /not a finite number$/,
  ],
  ['returns no JSON', () => ({ status: 200, body: `<html>${TEXT}` }), /no list of vectors$/],
  ['returns an empty body', () => ({ status: 200, body: '' }), /no list of vectors$/],
];
for (const [what, behave, reason] of failures)
  test(`the error contains no text, key or cause if the model ${what}`, async () => {
    const before = model.requests;
    model.behave = behave;
    await assert.rejects(embedder.embed([TEXT, 'two'], 300), (error: Error) => {
      assert.ok(error instanceof EmbeddingFailed);
      assert.match(error.message, /^the embedding model /);
      assert.match(error.message, reason);
      assert.equal(error.cause, undefined);
      assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /secret|never be logged/);
      return true;
    });
    assert.equal(model.requests, before + 1, 'there are no retries');
    model.behave = well;
    const [vector] = await embedder.embed([TEXT], 5000);
    assert.equal(vector?.length, DIMENSIONS, 'the next call succeeds');
  });

test('the embedder does not follow redirects, which would send texts to another server', async () => {
  const before = model.requests;
  model.behave = () => ({ status: 307, body: '', location: `${model.url}/elsewhere` });
  await assert.rejects(embedder.embed([TEXT], 5000), /returned status 307$/);
  assert.equal(model.requests, before + 1);
  model.behave = well;
});

test('the embedder stops reading a response that is too large', async () => {
  model.behave = () => ({ status: 200, body: `{"data":[${' '.repeat(33 * 1024 * 1024)}]}` });
  await assert.rejects(embedder.embed([TEXT], 20_000), /returned more than 33554432 bytes$/);
  model.behave = well;
});

test('the embedder rejects if the model cannot be reached', async () => {
  const gone = await startEmbeddingModel();
  await gone[Symbol.asyncDispose]();
  const other = createEmbedder({ url: gone.url, key: null, model: 'small' });
  await assert.rejects(other.embed([TEXT], 2000), /could not be reached$/);
  await other.close();
});

test('closing the embedder rejects pending and later calls', async () => {
  model.behave = silent;
  const other = createEmbedder({ url: model.url, key: null, model: 'small' });
  const waiting = assert.rejects(other.embed([TEXT], 60_000), EmbeddingFailed);
  await other.close();
  await waiting;
  await assert.rejects(other.embed([TEXT], 1000), EmbeddingFailed);
  model.behave = well;
});
