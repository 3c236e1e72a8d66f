import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import type { AnswerPart } from '../answerer.ts';
import { all, ask, failureOf, fake, RETURNS, sourcesOf, textOf } from './asking.suite.ts';

beforeEach(() => fake.reset());

/**
 * Response streams of servers, one file per response. The first line of a file names the documentation of the shape. The
 * streams were written from this documentation, because the servers are not available to the tests.
 */
const RECORDINGS = new URL('../../../tests/support/assistant/recordings/', import.meta.url);
const SEARCH = '-search';
const ERROR = '-error';

const names = readdirSync(RECORDINGS)
  .map((file) => basename(file, '.sse'))
  .toSorted();
const servers = names.filter((name) => !name.endsWith(SEARCH) && !name.endsWith(ERROR));
const streamOf = (name: string) => readFileSync(new URL(`${name}.sse`, RECORDINGS), 'utf8');
const usageOf = (parts: readonly AnswerPart[]) => parts.filter(({ kind }) => kind === 'usage');

const ANSWER = 'A refund takes five days [1].';
const COUNTED = { kind: 'usage', inputTokens: 11, outputTokens: 7 };
/** Servers that report zero tokens. */
const UNCOUNTED = ['localai'];

test('at least ten servers are recorded, each with the address of its documentation', () => {
  assert.ok(servers.length >= 10, servers.join());
  for (const name of names) assert.match(streamOf(name), /^: Shape: \S.*\n\n/, name);
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
        assert.deepEqual([code, detail.includes('secret')], ['failed', false]);
      });
  });

test('a thought signature is sent back with the tool call that it belongs to', async () => {
  fake.behave((_, index) => ({
    does: 'send',
    bytes: streamOf(index === 0 ? 'gemini-search' : 'gemini'),
  }));
  await all(ask({ search: async () => [RETURNS] }));
  assert.match(fake.requests[1]?.text ?? '', /"thought_signature":"EjQKMgEMOdbH"/);
});
