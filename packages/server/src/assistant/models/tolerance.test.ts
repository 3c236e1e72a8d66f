import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { framesOf, streamOf, USAGE } from '../../../tests/support/assistant/fake-model.ts';
import type { AnswerPart } from '../answerer.ts';
import {
  all,
  ask,
  failureOf,
  fake,
  modelAnswerer,
  question,
  RETURNS,
  textOf,
} from './asking.suite.ts';

beforeEach(() => fake.reset());

const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const END = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const DONE = 'data: [DONE]\n\n';

const thought = (content: string) => ({ content, extra_content: { google: { thought: true } } });

const usageOf = (parts: readonly AnswerPart[]) => parts.find(({ kind }) => kind === 'usage');
const COUNTED = { kind: 'usage', inputTokens: 11, outputTokens: 7 };

describe("an answer succeeds if the model's server", () => {
  const YES = framesOf(['Yes.']);
  const STREAMS: Readonly<Record<string, string>> = {
    'sends token counts with `choices: null`':
      YES + END + event({ id: 'x', choices: null, usage: USAGE }) + DONE,
    'sends token counts without `choices`': YES + END + event({ id: 'x', usage: USAGE }) + DONE,
    'sends an empty choice first': event({ choices: [{}] }) + streamOf(['Yes.']),
    'sends `null` as the first choice': event({ choices: [null] }) + streamOf(['Yes.']),
    'sends an empty choice before the choice of the answer':
      event({ choices: [{}, { index: 0, delta: { content: 'Yes.' } }] }) + streamOf([]),
    'sends an empty list of choices first': event({ choices: [] }) + streamOf(['Yes.']),
    'sends a choice without `delta` first': event({ choices: [{ index: 0 }] }) + streamOf(['Yes.']),
    'sends `[DONE]` without a finish reason': YES + event({ choices: [], usage: USAGE }) + DONE,
    'sends empty finish reasons':
      event({ choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: '' }] }) +
      event({ choices: [], usage: USAGE }) +
      DONE,
    'sends no space after `data:`': streamOf(['Yes.']).replaceAll('data: ', 'data:'),
    'sends comments': `: waiting\n\n:\n\n${streamOf(['Yes.'])}`,
    'sends marked thoughts and escapes their tags':
      event({ choices: [{ index: 0, delta: thought('<thought>Hm.') }] }) +
      event({ choices: [{ index: 0, delta: { content: '</thought>Yes.' } }] }).replaceAll(
        '<',
        String.raw`\u003c`,
      ) +
      streamOf([]),
  };
  for (const [name, bytes] of Object.entries(STREAMS))
    for (const atATime of [1, 7, bytes.length])
      test(`${name}, ${atATime} bytes at a time`, async () => {
        fake.behave({ does: 'send', bytes, atATime });
        const parts = await all(ask({}));
        assert.equal(textOf(parts), 'Yes.');
        assert.deepEqual(usageOf(parts), COUNTED);
      });

  test('ends lines with carriage returns', async () => {
    const bytes = YES + END + event({ choices: null, usage: USAGE }) + DONE;
    fake.behave({ does: 'send', bytes: bytes.replaceAll('\n', '\r\n'), atATime: 5 });
    assert.deepEqual(usageOf(await all(ask({}))), COUNTED);
  });

  const INPUT = { query: 'refund "world" {世界}' };
  const TEXT = JSON.stringify(INPUT);
  const call = (input: unknown) => ({
    index: 0,
    id: 'c',
    type: 'function',
    function: { name: 'search', arguments: input },
  });
  const CALLS = {
    'sends the arguments of a tool call as an object': [call(INPUT)],
    // As Text Generation Inference before 3.1.1.
    'sends a tool call instead of a list': call(TEXT),
    'sends a tool call instead of a list, with an object as arguments': call(INPUT),
  };
  for (const [name, calls] of Object.entries(CALLS))
    test(name, async () => {
      fake.behave((_, index) => ({
        does: 'send',
        bytes:
          index === 0
            ? event({ choices: [{ index: 0, delta: { tool_calls: calls } }] }) + streamOf([])
            : streamOf(['Yes [1].']),
      }));
      const queries: string[] = [];
      const search = async (query: string) => {
        queries.push(query);
        return [RETURNS];
      };
      assert.equal(textOf(await all(ask({ search }))), 'Yes [1].');
      assert.deepEqual(queries, [INPUT.query]);
    });

  test('sends text that looks like an event that needs a repair', async () => {
    const text = '{"choices": null, "choices": [{}], "arguments": {"a": 1}, "usage": {}}';
    fake.behave({ does: 'send', bytes: streamOf([text, ' ', text]) });
    assert.equal(textOf(await all(ask({}))), `${text} ${text}`);
  });
});

describe('a server that rejects `stream_options`', () => {
  const REFUSALS: Readonly<Record<string, { status: number; body: string; requests: number }>> = {
    'and names the parameter': {
      status: 422,
      body: '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"]}]}',
      requests: 2,
    },
    'without naming the parameter': {
      status: 400,
      body: '{"error":{"message":"Unrecognized request argument."}}',
      requests: 3,
    },
  };
  for (const [name, { status, body, requests }] of Object.entries(REFUSALS))
    test(`${name} receives requests without the parameter, for this answer and later ones`, async () => {
      fake.behave(({ hasStreamOptions }) =>
        hasStreamOptions ? { does: 'status', status, body } : { does: 'answer', pieces: ['Yes.'] },
      );
      const answerer = modelAnswerer();
      for (const count of [requests, requests + 1]) {
        const parts = await all(answerer.answer(question({})));
        assert.equal(textOf(parts), 'Yes.');
        assert.deepEqual(usageOf(parts), COUNTED);
        assert.equal(fake.requests.length, count);
      }
      const last = fake.requests.at(-1);
      assert.deepEqual([last?.hasStreamOptions, last?.tools], [false, ['search']]);
      await all(answerer.answer(question({ model: 'other' })));
      assert.equal(fake.requests.at(requests + 1)?.hasStreamOptions, true);
    });

  test('receives a request without `stream_options` and tools if it also rejects tools', async () => {
    fake.behave(({ hasStreamOptions, tools }) =>
      hasStreamOptions || tools.length > 0
        ? { does: 'status', status: 400, body: '{}' }
        : { does: 'answer', pieces: ['Yes.'] },
    );
    const answerer = modelAnswerer();
    for (const count of [4, 5]) {
      assert.equal(textOf(await all(answerer.answer(question({})))), 'Yes.');
      assert.equal(fake.requests.length, count);
    }
  });
});

test('tokens that only the total counts are output', async () => {
  const total = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 18 };
  const bytes = framesOf(['Yes.']) + END + event({ choices: [], usage: total }) + DONE;
  fake.behave({ does: 'send', bytes });
  assert.deepEqual(usageOf(await all(ask({}))), COUNTED);
});

test('an error without the member `error` is recognised', async () => {
  const bytes =
    framesOf(['Yes.']) + event({ object: 'error', message: 'secret', code: 500 }) + DONE;
  fake.behave({ does: 'send', bytes });
  const { code, detail } = await failureOf(ask({}));
  assert.deepEqual([code, detail.includes('secret')], ['failed', false]);
});

test('an answer that ends without a finish reason and `[DONE]` is incomplete', async () => {
  fake.behave({ does: 'send', bytes: framesOf(['Yes.']) });
  assert.equal((await failureOf(ask({}))).code, 'broken');
});

test('a request that the content filter blocks is not repeated', async () => {
  fake.behave({ does: 'status', status: 400, body: '{"error":{"code":"content_filter"}}' });
  assert.equal((await failureOf(ask({}))).code, 'withheld');
  assert.equal(fake.requests.length, 1);
});
