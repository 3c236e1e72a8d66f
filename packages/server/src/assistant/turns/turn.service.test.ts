import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '@gatehouse/contract';
import { type Filter, matchAll, print } from '@gatehouse/filter';
import { filterOf } from '../../lib/filters/filter-of.suite.ts';
import { AnswerFailure, type AnswerTool } from '../answerer.ts';
import {
  ASSISTANT,
  chunksOf,
  failureIn,
  openTurns,
  PASSAGE,
  text,
  typesOf,
  unfinished,
} from './turn.suite.ts';
import type { Chunk } from './ui-stream.rules.ts';

const REVOKED = new ApiError({ status: 410, code: 'links.revoked', message: 'Revoked.' });

describe('a turn', () => {
  test('requests an answer while the question is stored, and sends it afterwards', async () => {
    await using opened = await openTurns(async function* () {
      isAsked.resolve();
      yield text('Five days.');
    });
    const isAsked = Promise.withResolvers<void>();
    opened.beforeSaving(() => isAsked.promise);
    const turn = await opened.begin();
    assert.deepEqual(await opened.stored(), ['user: How long?']);
    await chunksOf(turn);
    assert.deepEqual(await opened.stored(), [
      'user: How long?',
      'assistant: Five days. (finished)',
    ]);
  });

  test('ends the answer if the question cannot be stored', async () => {
    const reason = new Error('the disk is full');
    let aborted: unknown;
    await using opened = await openTurns(async function* ({ signal }) {
      isAsked.resolve();
      await once(signal, 'abort');
      aborted = signal.reason;
      yield text('Too late.');
    });
    const isAsked = Promise.withResolvers<void>();
    opened.beforeSaving(async () => {
      await isAsked.promise;
      throw reason;
    });
    await assert.rejects(opened.begin(), reason);
    assert.equal(aborted, reason);
    assert.deepEqual([await opened.stored(), opened.failures], [[], []]);
    await opened.assertReleased();
  });

  test('runs no tool before the question is stored', async () => {
    const events: string[] = [];
    const tool: AnswerTool = {
      ...{ name: 'pay', title: null, description: 'Pays.', inputSchema: {}, needsConsent: false },
      start: async () => {
        events.push('tool');
        return { problem: 'no' };
      },
    };
    await using opened = await openTurns(
      async function* ({ tools }) {
        const started = tools[0]?.start({}, new AbortController().signal);
        isAsked.resolve();
        await started;
        yield text('Paid.');
      },
      { callTools: { of: async () => [tool] } },
    );
    const isAsked = Promise.withResolvers<void>();
    opened.beforeSaving(async () => {
      await isAsked.promise;
      await sleep(20);
      events.push('stored');
    });
    await chunksOf(await opened.begin());
    assert.deepEqual(events, ['stored', 'tool']);
  });

  test('streams the parts of the answer in order and counts the tokens', async () => {
    await using opened = await openTurns(async function* ({ passages }) {
      yield { kind: 'model', name: 'small' };
      yield text('Five ');
      yield { kind: 'source', number: 1, passage: passages[0] ?? assert.fail('a passage') };
      yield text('days [1].');
      yield { kind: 'usage', inputTokens: 10, outputTokens: 2 };
    });
    const chunks = await chunksOf(await opened.begin());
    assert.deepEqual(typesOf(chunks), [
      'start',
      'text-start',
      'text-delta',
      'source-document',
      'text-delta',
      'text-end',
      'finish',
    ]);
    const deltas = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.delta] : []));
    assert.deepEqual(deltas, ['Five ', 'days [1].']);
    assert.deepEqual([opened.outcomes, opened.tokens], [['finished'], [10, 2]]);
    await opened.assertReleased();
  });

  test('stores the text without citations that have no source', async () => {
    await using opened = await openTurns(async function* ({ passages }) {
      yield text('Five days [1], or six [7]. `a [7]`');
      yield { kind: 'source', number: 1, passage: passages[0] ?? assert.fail('a passage') };
    });
    await chunksOf(await opened.begin());
    assert.deepEqual(await opened.stored(), [
      'user: How long?',
      'assistant: Five days [1], or six. `a [7]` (finished)',
    ]);
  });

  test('stores whether the documents contain an answer, or null if the answer ended before a citation', async () => {
    const storedAfter = async (answer: Parameters<typeof openTurns>[0]) => {
      await using opened = await openTurns(answer);
      await chunksOf(await opened.begin());
      return await opened.answered();
    };
    const failure = new AnswerFailure('broken', 'connection lost');
    assert.deepEqual(
      await storedAfter(async function* () {
        yield text('Hello!');
      }),
      [1],
    );
    assert.deepEqual(
      await storedAfter(async function* () {
        yield text('I found nothing.');
        yield { kind: 'unanswered' };
      }),
      [0],
    );
    assert.deepEqual(
      await storedAfter(async function* () {
        yield text('A refund ');
        throw failure;
      }),
      [null],
    );
    assert.deepEqual(
      await storedAfter(async function* ({ passages }) {
        yield text('Five days [1]. ');
        yield { kind: 'source', number: 1, passage: passages[0] ?? assert.fail('a passage') };
        throw failure;
      }),
      [1],
    );
  });

  test('stops when the client disconnects, and stores the text that was already streamed', async () => {
    await using opened = await openTurns(unfinished);
    const gone = new AbortController();
    const turn = await opened.begin();
    const chunks: Chunk[] = [];
    for await (const chunk of turn.run(gone.signal)) {
      chunks.push(chunk);
      if (chunk.type === 'text-delta') gone.abort();
    }
    assert.equal(chunks.at(-1)?.type, 'text-delta');
    assert.deepEqual(await opened.stored(), ['user: How long?', 'assistant: A refund  (stopped)']);
    assert.deepEqual([opened.outcomes, opened.failures], [['stopped'], []]);
    await opened.assertReleased();
  });

  test('stores no answer if the client disconnects before the first text', async () => {
    await using opened = await openTurns(unfinished);
    await chunksOf(await opened.begin(), AbortSignal.abort());
    assert.deepEqual(await opened.stored(), ['user: How long?']);
    await opened.assertReleased();
  });

  test('reports why an answer failed and stores the failure with the streamed text', async () => {
    const failure = new AnswerFailure('broken', 'connection lost');
    await using opened = await openTurns(async function* () {
      yield text('A refund ');
      throw failure;
    });
    const chunks = await chunksOf(await opened.begin());
    assert.deepEqual(typesOf(chunks).slice(-3), ['text-delta', 'message-metadata', 'error']);
    assert.deepEqual(failureIn(chunks), {
      state: 'failed',
      code: 'chat.answer-broken',
      retriable: true,
    });
    assert.deepEqual(await opened.stored(), [
      'user: How long?',
      'assistant: A refund  (chat.answer-broken)',
    ]);
    assert.deepEqual([opened.outcomes, opened.failures], [['failed'], [failure]]);
    await opened.assertReleased();
  });

  test('ends with the error code of the link when the link is revoked', async () => {
    let isRevoked = false;
    await using opened = await openTurns(
      async function* (question) {
        for await (const part of unfinished(question)) {
          yield part;
          isRevoked = true;
        }
      },
      {
        links: {
          assistantOf: async () => ASSISTANT,
          filtersOf: async () => ASSISTANT.filters,
          preview: async () => ({ assistant: ASSISTANT, predicates: [] }),
          watch: async () => (isRevoked ? Promise.reject(REVOKED) : ASSISTANT.filters),
        },
        linkWatchTimes: { checkEveryMs: 1, unconfirmedMs: 60_000 },
      },
    );
    const chunks = await chunksOf(await opened.begin());
    assert.deepEqual(failureIn(chunks), {
      state: 'failed',
      code: 'links.revoked',
      retriable: false,
    });
    assert.deepEqual(await opened.stored(), [
      'user: How long?',
      'assistant: A refund  (links.revoked)',
    ]);
    assert.deepEqual(opened.failures, []);
    await opened.assertReleased();
  });

  test('ends with a retriable error when the filter of the space changes', async () => {
    let storedSpaceFilter: string | null = null;
    await using opened = await openTurns(
      async function* (question) {
        for await (const part of unfinished(question)) {
          yield part;
          storedSpaceFilter = '{"or":[]}';
        }
      },
      {
        links: {
          assistantOf: async () => ASSISTANT,
          filtersOf: async () => ASSISTANT.filters,
          preview: async () => ({ assistant: ASSISTANT, predicates: [] }),
          watch: async () => ({ storedSpaceFilter }),
        },
        linkWatchTimes: { checkEveryMs: 1, unconfirmedMs: 60_000 },
      },
    );
    const chunks = await chunksOf(await opened.begin());
    assert.deepEqual(failureIn(chunks), {
      state: 'failed',
      code: 'chat.permissions-changed',
      retriable: true,
    });
    assert.deepEqual(await opened.stored(), [
      'user: How long?',
      'assistant: A refund  (chat.permissions-changed)',
    ]);
    assert.deepEqual(opened.failures, []);
    await opened.assertReleased();
  });

  test('searches again and cites in the scope of the moment', async () => {
    const nothing = filterOf({ or: [] });
    let spaceFilter: Filter = matchAll;
    const searched: Filter[] = [];
    const named: Filter[] = [];
    await using opened = await openTurns(
      async function* ({ search, passages }) {
        const [passage] = passages;
        assert.ok(passage);
        yield text('Five days [1].');
        yield { kind: 'source', number: 1, passage };
        spaceFilter = nothing;
        await search('more');
        yield { kind: 'source', number: 2, passage };
      },
      {
        links: {
          assistantOf: async () => ASSISTANT,
          filtersOf: async () => ({ ...ASSISTANT.filters, spaceFilter }),
          preview: async () => ({ assistant: ASSISTANT, predicates: [] }),
          watch: async () => ASSISTANT.filters,
        },
        search: async ({ filter }) => {
          searched.push(filter);
          return [PASSAGE];
        },
        documents: {
          named: async ({ filter }) => {
            named.push(filter);
            return new Map();
          },
        },
      },
    );
    await chunksOf(await opened.begin());
    const expected = [matchAll, nothing].map(print);
    assert.deepEqual(searched.map(print), expected);
    assert.deepEqual(named.slice(-2).map(print), expected);
  });

  test('ends and reports an error when the link cannot be confirmed for too long', async () => {
    const problem = new Error('the store is gone');
    await using opened = await openTurns(unfinished, {
      links: {
        assistantOf: async () => ASSISTANT,
        filtersOf: async () => ASSISTANT.filters,
        preview: async () => ({ assistant: ASSISTANT, predicates: [] }),
        watch: () => Promise.reject(problem),
      },
      linkWatchTimes: { checkEveryMs: 1, unconfirmedMs: 50 },
    });
    const chunks = await chunksOf(await opened.begin());
    assert.equal(failureIn(chunks)?.code, 'chat.internal');
    assert.equal((opened.failures[0] as Error).cause, problem);
    await opened.assertReleased();
  });

  test('stores nothing if the link disables the history, whether the turn succeeds or fails', async () => {
    const links = {
      assistantOf: async () => ({ ...ASSISTANT, chatHistory: false }),
      filtersOf: async () => ASSISTANT.filters,
      preview: async () => ({ assistant: ASSISTANT, predicates: [] }),
      watch: async () => ASSISTANT.filters,
    };
    for (const answer of [
      async function* () {
        yield text('Five days.');
      },
      async function* () {
        yield text('Five ');
        throw new AnswerFailure('broken', 'connection lost');
      },
    ]) {
      await using opened = await openTurns(answer, { links });
      const [start] = await chunksOf(await opened.begin());
      assert.deepEqual(start?.type === 'start' && start.messageMetadata, { conversationId: null });
      assert.deepEqual(await opened.stored(), []);
      await opened.assertReleased();
    }
  });

  test('is rejected while another turn runs in the same conversation, and stores nothing', async () => {
    await using opened = await openTurns(unfinished);
    const gone = new AbortController();
    const first = (await opened.begin('One?')).run(gone.signal)[Symbol.asyncIterator]();
    await first.next();
    await assert.rejects(
      opened.begin('Two?'),
      (error) => error instanceof ApiError && error.code === 'chat.turn-running',
    );
    assert.deepEqual(await opened.stored(), ['user: One?']);
    const other = await opened.begin('Three?', 'other');
    gone.abort();
    while (!(await first.next()).done);
    await chunksOf(other, gone.signal);
    await opened.assertReleased();
  });

  test('releases the semaphores if the question cannot be stored', async () => {
    const problem = new Error('disk full');
    await using opened = await openTurns(unfinished, {
      documents: { named: () => Promise.reject(problem) },
    });
    await assert.rejects(opened.begin(), problem);
    await opened.assertReleased();
  });

  test('is aborted when the service stops, and the service waits until the turn has ended', async () => {
    await using opened = await openTurns(unfinished);
    const chunks = chunksOf(await opened.begin());
    await opened.turns.end(1);
    assert.deepEqual(failureIn(await chunks)?.code, 'chat.restarting');
    assert.deepEqual(await opened.stored(), [
      'user: How long?',
      'assistant: A refund  (chat.restarting)',
    ]);
  });
});
