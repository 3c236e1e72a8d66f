import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ApiError, type ChatRequest, type FoundPassage } from '@gatehouse/contract';
import { matchAll } from '@gatehouse/filter';
import type { LinkedAssistant, WidgetCaller } from '../../links/index.ts';
import { createMemoryRateCounts, createMemorySemaphores } from '../../storage/memory/index.ts';
import { newStoreLocation } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import { type Answerer, AnswerFailure, type AnswerPart, type Question } from '../answerer.ts';
import { createConversationRepository } from '../conversations/conversation.repository.ts';
import { createTurns, type Turn, type TurnsDeps } from './turn.service.ts';
import { createTurnLimits } from './turn-limits.ts';
import type { Chunk } from './ui-stream.rules.ts';

const VISITOR = { spaceId: 'space', linkId: 'link', sub: 'ada' } as WidgetCaller;
const OWNER = { spaceId: 'space', name: 'sub:ada', linkId: null };
const ADDRESS = '192.0.2.1';
const NOW = 1_700_000_000_000;
const REVOKED = new ApiError({ status: 410, code: 'links.revoked', message: 'Revoked.' });

const ASSISTANT: LinkedAssistant = {
  filters: { permissionFilter: matchAll, filter: matchAll },
  chatHistory: true,
  bot: { name: 'Shop', greeting: null, suggestions: [], systemPrompt: null, model: null },
  texts: { name: 'Shop', title: null, greeting: null, suggestions: [] },
  systemPromptInsertion: null,
  context: null,
  userInformation: null,
  locale: null,
};

const PASSAGE: FoundPassage = {
  documentId: 'returns',
  fileName: 'returns.md',
  title: 'Returns',
  url: null,
  position: 0,
  heading: null,
  text: 'A refund takes five days.',
  snippet: 'A refund takes five days.',
  highlights: [],
  score: 1,
  metadata: {},
};

type Answer = (question: Question) => AsyncIterable<AnswerPart>;

async function openTurns(answer: Answer, overrides: Partial<TurnsDeps> = {}) {
  const location = await newStoreLocation();
  const store = await location.open();
  await addSpace(store, 'space');
  const conversations = createConversationRepository(store.db, store.writeAtomically);
  const limits = createTurnLimits({
    perMinute: { person: 0, link: 0 },
    rates: createMemoryRateCounts(() => NOW),
    semaphores: createMemorySemaphores(),
  });
  const outcomes: string[] = [];
  const failures: unknown[] = [];
  const tokens: number[] = [];
  const answerer: Answerer = { answer };
  const turns = createTurns({
    conversations,
    documents: {
      named: async (_, ids) =>
        new Map(
          ids.map((id) => [
            id,
            { fileName: `${id}.md`, title: id, url: null, mimeType: 'text/markdown' },
          ]),
        ),
    },
    search: async () => [PASSAGE],
    links: { assistantOf: async () => ASSISTANT, requireActiveLink: async () => {} },
    answerer,
    limits,
    count: {
      turn: (outcome) => outcomes.push(outcome),
      tokens: (input, output) => tokens.push(input, output),
      cost: () => {},
    },
    prices: { input: 3, output: 5 },
    clock: () => NOW,
    onFailure: (error) => failures.push(error),
    ...overrides,
  });

  return {
    turns,
    outcomes,
    failures,
    tokens,
    async begin(text = 'How long?', id: string | undefined = 'chat'): Promise<Turn> {
      const request: ChatRequest = {
        ...(id === undefined ? {} : { id }),
        messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
      };
      return turns.begin(await turns.admit(VISITOR, ADDRESS), request, 'request');
    },
    /** Returns the stored messages of the conversation as `role: text (state)`. */
    async stored(id = 'chat'): Promise<string[]> {
      const found = await conversations.find(OWNER, id);
      if (found === null) return [];
      const rows = await conversations.messages(found, 10);
      return rows.map(({ role, text, state, failure }) =>
        role === 'user' ? `user: ${text}` : `assistant: ${text} (${failure ?? state})`,
      );
    },
    async assertReleased() {
      const { limitKeys } = await turns.admit(VISITOR, ADDRESS);
      const releases = [];
      for (const id of ['chat', 'b', 'c', 'd']) {
        const conversation = JSON.stringify(['space', 'sub:ada', id]);
        releases.push(await limits.acquire(limitKeys, conversation));
      }
      for (const release of releases) release();
    },
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      location[Symbol.dispose]();
    },
  };
}

async function chunksOf(turn: Turn, gone = new AbortController().signal): Promise<Chunk[]> {
  return Array.fromAsync(turn(gone));
}

function typesOf(chunks: readonly Chunk[]): string[] {
  return chunks.map(({ type }) => type);
}

function failureIn(chunks: readonly Chunk[]) {
  const found = chunks.find(({ type }) => type === 'message-metadata');
  return found?.type === 'message-metadata' ? found.messageMetadata : null;
}

function text(content: string): AnswerPart {
  return { kind: 'text', text: content };
}

/** Yields `A refund ` and then waits until the question's signal aborts. */
async function* unfinished({ signal }: Question): AsyncGenerator<AnswerPart> {
  yield text('A refund ');
  signal.throwIfAborted();
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

describe('a turn', () => {
  test('stores the question before it requests an answer', async () => {
    let storedBefore: string[] = [];
    await using opened = await openTurns(async function* () {
      storedBefore = await opened.stored();
      yield text('Five days.');
    });
    const turn = await opened.begin();
    assert.deepEqual(await opened.stored(), ['user: How long?']);
    await chunksOf(turn);
    assert.deepEqual(storedBefore, ['user: How long?']);
    assert.deepEqual(await opened.stored(), [
      'user: How long?',
      'assistant: Five days. (finished)',
    ]);
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

  test('stops when the client disconnects, and stores the text that was already streamed', async () => {
    await using opened = await openTurns(unfinished);
    const gone = new AbortController();
    const turn = await opened.begin();
    const chunks: Chunk[] = [];
    for await (const chunk of turn(gone.signal)) {
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
    await using opened = await openTurns(unfinished, {
      links: {
        assistantOf: async () => ASSISTANT,
        requireActiveLink: () => Promise.reject(REVOKED),
      },
      linkWatchTimes: { checkEveryMs: 1, unconfirmedMs: 60_000 },
    });
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

  test('ends and reports an error when the link cannot be confirmed for too long', async () => {
    const problem = new Error('the store is gone');
    await using opened = await openTurns(unfinished, {
      links: {
        assistantOf: async () => ASSISTANT,
        requireActiveLink: () => Promise.reject(problem),
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
      requireActiveLink: async () => {},
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
    const first = (await opened.begin('One?'))(gone.signal)[Symbol.asyncIterator]();
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
