import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { startFakeModel, streamOf } from '../../../tests/support/assistant/fake-model.ts';
import type { AnswerFailure } from '../answerer.ts';
import {
  all,
  ask,
  failureOf,
  fake,
  isFailure,
  KEY,
  question,
  SECRET,
  textOf,
  untilError,
} from './asking.suite.ts';
import { createModelAnswerer, createModelDirectory } from './index.ts';

beforeEach(() => fake.reset());

describe('the failure of an answer', () => {
  const statuses: [number, string, AnswerFailure['code']][] = [
    [401, `{"error":{"message":"bad key ${KEY}","code":"invalid_api_key"}}`, 'refused'],
    [403, SECRET, 'refused'],
    [404, '{"error":{"code":"model_not_found"}}', 'refused'],
    [400, '{"error":{"code":"content_filter"}}', 'withheld'],
    [429, '', 'overloaded'],
    [503, '<html>', 'overloaded'],
    [500, `{"error":"${SECRET}"}`, 'failed'],
    [504, '', 'stalled'],
  ];
  for (const [status, body, code] of statuses)
    test(`has the code ${code} if the model responds with status ${status}`, async () => {
      fake.behave({ does: 'status', status, body });
      const failure = await failureOf(ask({}));
      assert.equal(failure.code, code);
      assert.match(failure.detail, new RegExp(`^HTTP ${status}`));
      assert.equal(failure.retriable, code !== 'refused' && code !== 'withheld');
    });

  test('contains the error name that the model reports', async () => {
    fake.behave({ does: 'status', status: 401, body: '{"error":{"code":"invalid_api_key"}}' });
    assert.equal((await failureOf(ask({}))).detail, 'HTTP 401 invalid_api_key');
  });

  test('is reported for a redirect, which is not followed because that would send the key to another server', async () => {
    const to = `${fake.url}/other`;
    fake.behave({ does: 'status', status: 307, to });
    assert.equal((await failureOf(ask({}))).detail, 'HTTP 307');
    assert.equal(fake.requests.length, 1);
  });

  test('has the code unreachable if the connection is refused', async () => {
    const gone = await startFakeModel();
    await gone[Symbol.asyncDispose]();
    const answerer = createModelAnswerer({
      models: createModelDirectory({ api: { url: gone.url, key: KEY }, name: 'small' }),
      limits: { retryMs: 1 },
    });
    const failure = await failureOf(answerer.answer(question({})));
    assert.equal(failure.code, 'unreachable');
    assert.equal(failure.detail, 'ECONNREFUSED');
  });

  test('is thrown only after retries if the connection closes before the response', async () => {
    fake.behave({ does: 'drop' });
    assert.equal((await failureOf(ask({}))).code, 'unreachable');
    // Each of two attempts repeats the request on a new connection.
    assert.equal(fake.requests.length, 4);
    fake.reset();
    fake.behave((_, index) =>
      index === 0 ? { does: 'drop' } : { does: 'answer', pieces: ['Yes.'] },
    );
    assert.equal(textOf(await all(ask({}))), 'Yes.');
  });

  test('has the code broken if the connection closes during the answer', async () => {
    for (const behaviour of [
      { does: 'drop', pieces: ['A refund ', 'takes'] },
      {
        does: 'send',
        bytes:
          streamOf(['A refund ', 'takes'])
            .split('data: [DONE]')[0]
            ?.split('data: {')
            .slice(0, 3)
            .join('data: {') ?? '',
      },
    ] as const) {
      fake.behave(behaviour);
      const { parts, error } = await untilError(ask({}));
      assert.equal(textOf(parts), 'A refund takes');
      assert.ok(isFailure('broken')(error));
    }
  });

  test('has the code garbage if the response is not a valid answer', async () => {
    for (const sent of [
      { bytes: 'data: {"choices":[{"delta":{"content":\n\n' },
      { bytes: `data: {"choices":"${SECRET}"}\n\n` },
      { bytes: `<html>${SECRET}</html>`, type: 'text/html' },
      { bytes: '{"choices":[{"message":{"content":"Yes."}}]}', type: 'application/json' },
      { bytes: streamOf([]) },
      { bytes: streamOf(['  ', '\n']) },
    ]) {
      fake.behave({ does: 'send', ...sent });
      assert.equal((await failureOf(ask({}))).code, 'garbage', sent.bytes);
    }
    fake.behave({
      does: 'send',
      bytes: Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 37) % 256)),
    });
    await failureOf(ask({}));
  });

  test("has the code that matches an error in the model's stream", async () => {
    for (const [error, code] of [
      [{ message: SECRET, type: 'server_error' }, 'failed'],
      [{ message: SECRET, code: 'rate_limit_exceeded' }, 'overloaded'],
      [{ message: SECRET, code: 429 }, 'overloaded'],
      [{ message: SECRET, code: KEY }, 'failed'],
    ] as const) {
      fake.behave({ does: 'send', bytes: `data: ${JSON.stringify({ error })}\n\n` });
      assert.equal((await failureOf(ask({}))).code, code);
    }
    fake.behave({ does: 'finish', pieces: ['A '], reason: 'content_filter' });
    assert.equal((await failureOf(ask({}))).code, 'withheld');
    fake.behave({ does: 'finish', pieces: ['A '], reason: 'length' });
    assert.equal((await failureOf(ask({}))).code, 'too-long');
  });
});
