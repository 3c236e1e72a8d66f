import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import type { AnswerPart } from '../answerer.ts';
import { all, ask, failureOf, fake, RETURNS, sourcesOf, textOf } from './asking.suite.ts';

beforeEach(() => fake.reset());

/**
 * Response streams of servers, one file per response. The shape of each stream, which is the members, their order and the
 * order of the events, comes from the source that the first lines of the file name: a public capture, the source code of the
 * server or its documentation. Texts, IDs and numbers are our own. The first lines are removed before the replay, because
 * most servers do not send comments.
 */
const RECORDINGS = new URL('../../../tests/support/assistant/recordings/', import.meta.url);
const SOURCE =
  /^: Shape (as captured|from the source code|from the documentation) .+\n(?:: .+\n)*\n/;
const SEARCH = '-search';
const ERROR = '-error';

const names = readdirSync(RECORDINGS)
  .map((file) => basename(file, '.sse'))
  .toSorted();
const servers = names.filter((name) => !name.endsWith(SEARCH) && !name.endsWith(ERROR));
const fileOf = (name: string) => readFileSync(new URL(`${name}.sse`, RECORDINGS), 'utf8');
/** Returns the name without a version or a feature. */
const productOf = (server: string) => server.replace(/-(?:[\d.]+|thoughts)$/, '');
const streamOf = (name: string) => fileOf(name).replace(SOURCE, '');
const usageOf = (parts: readonly AnswerPart[]) => parts.filter(({ kind }) => kind === 'usage');
const reasoningOf = (parts: readonly AnswerPart[]) =>
  parts.map((part) => (part.kind === 'reasoning' ? part.text : '')).join('');

const ANSWER = 'A refund takes five days [1].';
const REASONING = 'We need the secret rule.';
const COUNTED = { kind: 'usage', inputTokens: 11, outputTokens: 7 };
/** Servers that report zero tokens. */
const UNCOUNTED = ['localai-2'];

test('at least ten servers are recorded from captures or their source code', () => {
  const sources = new Map(names.map((name) => [name, SOURCE.exec(fileOf(name))?.[1]]));
  for (const [name, source] of sources) assert.ok(source !== undefined, name);
  const captured = servers.filter((name) => sources.get(name) !== 'from the documentation');
  assert.ok(new Set(captured.map(productOf)).size >= 10, captured.join());
  for (const name of names)
    assert.ok(servers.includes(name.replace(/-(?:search|error)$/, '')), `${name} is not replayed`);
});

for (const server of servers)
  describe(`a response in the shape of ${server}`, () => {
    const answer = streamOf(server);

    test('is an answer without reasoning, however the bytes are split', async () => {
      for (const atATime of [1, 7, Buffer.byteLength(answer)]) {
        fake.behave({ does: 'send', bytes: answer, atATime });
        const parts = await all(ask({ passages: [RETURNS] }));
        assert.equal(textOf(parts).trim(), ANSWER);
        assert.deepEqual(sourcesOf(parts), [[1, RETURNS]]);
        assert.deepEqual(usageOf(parts), UNCOUNTED.includes(server) ? [] : [COUNTED]);
        assert.equal(reasoningOf(parts), '');
      }
    });

    if (answer.includes('We need'))
      test('contains reasoning once, which a link can show', async () => {
        for (const atATime of [7, Buffer.byteLength(answer)]) {
          fake.behave({ does: 'send', bytes: answer, atATime });
          const parts = await all(ask({ passages: [RETURNS], showsReasoning: true }));
          assert.equal(reasoningOf(parts).trim(), REASONING);
          assert.equal(textOf(parts).trim(), ANSWER);
        }
      });

    if (names.includes(server + SEARCH))
      test('can call the search before the answer', async () => {
        fake.behave((_, index) => ({
          does: 'send',
          bytes: index === 0 ? streamOf(server + SEARCH) : answer,
          atATime: 7,
        }));
        const queries: string[] = [];
        const search = async (query: string) => {
          queries.push(query);
          return [RETURNS];
        };
        const parts = await all(ask({ search }));
        assert.equal(textOf(parts).trim(), ANSWER);
        assert.deepEqual(queries, ['refund']);
        assert.deepEqual(sourcesOf(parts), [[1, RETURNS]]);
        const roles = fake.requests[1]?.messages.map(({ role }) => role);
        assert.deepEqual(roles, ['system', 'user', 'assistant', 'tool']);
      });

    if (names.includes(server + ERROR))
      test('can be an error, whose message is not shown', async () => {
        fake.behave({ does: 'send', bytes: streamOf(server + ERROR) });
        const { code, detail } = await failureOf(ask({}));
        assert.ok(['failed', 'refused'].includes(code), code);
        assert.ok(!detail.includes('secret'), detail);
      });
  });

test('a thought signature is sent back with the tool call that it belongs to', async () => {
  fake.behave((_, index) => ({
    does: 'send',
    bytes: streamOf(index === 0 ? 'gemini-search' : 'gemini'),
  }));
  await all(ask({ search: async () => [RETURNS] }));
  assert.match(fake.requests[1]?.text ?? '', /"thought_signature":"c2VhcmNoIHNpZ25hdHVyZQ=="/);
});

test('reasoning is sent back with the tool call that follows it', async () => {
  fake.behave((_, index) => ({
    does: 'send',
    bytes: streamOf(index === 0 ? 'deepseek-search' : 'deepseek'),
  }));
  await all(ask({ search: async () => [RETURNS] }));
  assert.match(fake.requests[1]?.text ?? '', /"reasoning_content":"We need the secret rule."/);
});
