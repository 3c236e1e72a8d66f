import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { framesOf, streamOf } from '../../../tests/support/assistant/fake-model.ts';
import { all, ask, failureOf, fake, RETURNS, SECRET, shown, textOf } from './asking.suite.ts';

beforeEach(() => fake.reset());

function frame(delta: object): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
}

function call(id: string, name: string, input: string): string {
  return frame({
    tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: input } }],
  });
}

test('a model that calls an unknown tool or sends invalid input receives an error and continues', async () => {
  const invalid = [
    ['lookup', '{"query":"x"}', /There is no tool lookup\. The tools are: search\./],
    ['search', '{"quer', /The arguments of the call of search are invalid\./],
    ['search', '{"query":7}', /needs a query/],
  ] as const;
  for (const [name, input, message] of invalid) {
    fake.reset();
    fake.behave((_, index) => ({
      does: 'send',
      bytes: index === 0 ? call('c', name, input) + streamOf([]) : streamOf(['Yes [1].']),
    }));
    assert.equal(textOf(await all(ask({ passages: [RETURNS] }))), 'Yes [1].');
    assert.match(shown(), message);
  }
});

test('after a search a model receives its earlier reasoning and text', async () => {
  fake.behave((_, index) => ({
    does: 'send',
    bytes:
      index === 0
        ? frame({ reasoning_content: 'hm ' }) +
          framesOf(['Let me ', 'look.']) +
          call('c1', 'search', '{"query":"refund"}') +
          streamOf([])
        : streamOf(['Yes.']),
  }));
  await all(ask({ search: async () => [RETURNS] }));
  const [said, found] = fake.requests[1]?.messages.slice(-2) ?? [];
  assert.deepEqual(said, {
    role: 'assistant',
    content: 'Let me look.',
    reasoning_content: 'hm ',
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'search', arguments: '{"query":"refund"}' } },
    ],
  });
  assert.match(found?.content ?? '', /passage \[1\]/);
});

test('the error of a failed tool is not sent to the model', async () => {
  fake.behave((_, index) => ({
    does: 'send',
    bytes: index === 0 ? call('c', 'broken', '{}') + streamOf([]) : streamOf(['Sorry.']),
  }));
  const broken = {
    name: 'broken',
    title: null,
    description: 'Always fails.',
    inputSchema: { type: 'object' },
    needsConsent: false,
    start: () => Promise.reject(new Error(SECRET)),
  };
  assert.equal(textOf(await all(ask({ tools: [broken] }))), 'Sorry.');
  const result = fake.requests[1]?.messages.at(-1);
  assert.deepEqual([result?.role, result?.content], ['tool', 'The call failed.']);
});

test('a response that ends without content or a finish reason is incomplete', async () => {
  fake.behave({ does: 'send', bytes: frame({ role: 'assistant' }) });
  assert.equal((await failureOf(ask({}))).code, 'broken');
});

test('an answer fails if the model searches without having a search tool', async () => {
  fake.behave({ does: 'send', bytes: call('c', 'search', '{"query":"x"}') + streamOf([]) });
  const failure = await failureOf(ask({}, { searches: 0 }));
  assert.deepEqual([failure.code, fake.requests.length], ['garbage', 1]);
});
