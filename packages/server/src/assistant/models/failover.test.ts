import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { type Behaviour, startFakeModel } from '../../../tests/support/assistant/fake-model.ts';
import type { AnswerPart } from '../answerer.ts';
import { all, fake, isFailure, question, textOf, untilError } from './asking.suite.ts';
import {
  createModelAnswerer,
  createModelDirectory,
  type ModelDirectoryOptions,
  type OnFailover,
} from './index.ts';
import type { AnswerLimits } from './watch.ts';

beforeEach(() => fake.reset());

/** The API of the fallback. `fake` is the API of all other models. */
const second = await startFakeModel();
after(() => second[Symbol.asyncDispose]());
beforeEach(() => {
  second.reset();
  second.behave({ does: 'answer', pieces: ['From the fallback.'] });
});

const BUSY: Behaviour = { does: 'status', status: 503 };

function answerer(
  overrides: Partial<ModelDirectoryOptions> = {},
  limits: Partial<AnswerLimits> = {},
  onFailover: OnFailover = () => {},
) {
  const models = createModelDirectory({
    api: { url: fake.url, key: 'first-key' },
    name: 'small',
    named: new Map([
      ['large', { api: { url: second.url, key: 'second-key' }, model: 'large-2', prices: null }],
    ]),
    ...overrides,
  });
  return createModelAnswerer({ models, onFailover, limits: { retryMs: 1, ...limits } });
}

const withFallback = (limits?: Partial<AnswerLimits>, onFailover?: OnFailover) =>
  answerer({ fallback: 'large' }, limits, onFailover);
const modelsOf = (parts: readonly AnswerPart[]) =>
  parts.flatMap((part) => (part.kind === 'model' ? [part.name] : []));

test('a named model is asked at its own URL, with its own key and name', async () => {
  const parts = await all(answerer().answer(question({ model: 'large' })));
  assert.equal(textOf(parts), 'From the fallback.');
  assert.deepEqual(
    second.requests.map(({ model, authorization }) => ({ model, authorization })),
    [{ model: 'large-2', authorization: 'Bearer second-key' }],
  );
  assert.equal(fake.requests.length, 0);
});

test('a name without an API fails', async () => {
  const lonely = answerer({ api: null });
  const { error } = await untilError(lonely.answer(question({ model: 'unknown' })));
  assert.ok(isFailure('refused')(error));
});

describe('a temporary failure before the first text', () => {
  test('is retried once', async () => {
    fake.behave((_, index) => (index === 0 ? BUSY : { does: 'answer', pieces: ['Yes.'] }));
    assert.equal(textOf(await all(withFallback().answer(question({})))), 'Yes.');
    assert.equal(fake.requests.length, 2);
    assert.equal(second.requests.length, 0);
  });

  test('that repeats is followed by the answer of the fallback, which is named', async () => {
    fake.behave(BUSY);
    const failed: string[] = [];
    const parts = await all(
      withFallback({}, (model, { detail }) => failed.push(`${model}: ${detail}`)).answer(
        question({}),
      ),
    );
    assert.equal(textOf(parts), 'From the fallback.');
    assert.deepEqual(modelsOf(parts), ['small', 'large']);
    assert.equal(fake.requests.length, 2);
    assert.deepEqual(failed, ['small: HTTP 503']);
  });

  test('after a search is also followed by the fallback', async () => {
    fake.behave((_, index) => (index === 0 ? { does: 'search', queries: ['refund'] } : BUSY));
    const parts = await all(withFallback().answer(question({})));
    assert.equal(textOf(parts), 'From the fallback.');
  });

  test('fails without a fallback', async () => {
    fake.behave(BUSY);
    const { error } = await untilError(answerer().answer(question({})));
    assert.ok(isFailure('overloaded')(error));
    assert.equal(fake.requests.length, 2);
  });
});

for (const [name, behaviour, requests] of [
  ['rejects the key', { does: 'status', status: 401 }, 1],
  ['does not answer in time', { does: 'stall' }, 1],
  ['closes the connection', { does: 'drop' }, 3],
  ['answers with garbage', { does: 'send', bytes: '<html>', type: 'text/html' }, 1],
] as const)
  test(`the fallback answers if the model ${name}`, async () => {
    fake.behave(behaviour);
    const limits = behaviour.does === 'stall' ? { firstMs: 300 } : {};
    assert.equal(
      textOf(await all(withFallback(limits).answer(question({})))),
      'From the fallback.',
    );
    assert.ok(fake.requests.length >= requests, `${fake.requests.length}`);
  });

test('a failure after the first text ends the answer', async () => {
  fake.behave({ does: 'drop', pieces: ['It takes'] });
  const { parts, error } = await untilError(withFallback().answer(question({})));
  assert.ok(isFailure('broken')(error));
  assert.equal(textOf(parts), 'It takes');
  assert.equal(second.requests.length, 0);
});

test('an answer that a content filter blocks is not retried', async () => {
  fake.behave({ does: 'finish', pieces: [], reason: 'content_filter' });
  const { error } = await untilError(withFallback().answer(question({})));
  assert.ok(isFailure('withheld')(error));
  assert.equal(second.requests.length, 0);
});

test('after a failure the fallback answers first, and the model if the fallback fails', async () => {
  const both = withFallback();
  fake.behave(BUSY);
  await all(both.answer(question({})));
  fake.requests.length = 0;
  assert.deepEqual(modelsOf(await all(both.answer(question({})))), ['large']);
  assert.equal(fake.requests.length, 0);
  second.behave(BUSY);
  fake.behave({ does: 'answer', pieces: ['Again.'] });
  const parts = await all(both.answer(question({})));
  assert.deepEqual(modelsOf(parts), ['large', 'small']);
  assert.equal(textOf(parts), 'Again.');
});

test('a rejected question does not make the next question ask the fallback first', async () => {
  const both = withFallback();
  fake.behave({ does: 'status', status: 400 });
  assert.deepEqual(modelsOf(await all(both.answer(question({})))), ['small', 'large']);
  fake.behave({ does: 'answer', pieces: ['Yes.'] });
  assert.deepEqual(modelsOf(await all(both.answer(question({})))), ['small']);
});

test('a person who leaves during the pause ends the answer without another request', async () => {
  fake.behave(BUSY);
  const gone = new AbortController();
  const reason = new Error('gone');
  const models = createModelDirectory({ api: { url: fake.url, key: null }, name: 'small' });
  const slow = createModelAnswerer({ models, limits: { retryMs: 60_000 } });
  const answer = untilError(slow.answer(question({ signal: gone.signal })));
  while (fake.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await fake.requests[0]?.ended;
  gone.abort(reason);
  assert.equal((await answer).error, reason);
  assert.equal(fake.requests.length, 1);
});
