import type { ChatRequest } from '@gatehouse/contract';
import { matchAll } from '@gatehouse/filter';
import type { LinkedAssistant, WidgetCaller } from '../../links/index.ts';
import { createBudgetRepository } from '../../platform/usage/index.ts';
import { openNewStore } from '../../storage/open-store.suite.ts';
import { addSpace } from '../../storage/ports/add-space.suite.ts';
import type { RankedPassage } from '../../storage/ports/index.ts';
import {
  createMemoryRateCounts,
  createMemorySemaphores,
} from '../../storage/single-process/index.ts';
import type { Answerer, AnswerPart, Question } from '../answerer.ts';
import { addLink } from '../conversations/add-link.suite.ts';
import { createConversationRepository } from '../conversations/conversation.repository.ts';
import { createTurns, type Turn, type TurnsDeps } from './turn.service.ts';
import { createTurnLimits } from './turn-limits.ts';
import type { Chunk } from './ui-stream.rules.ts';

const VISITOR = { spaceId: 'space', linkId: 'link', sub: 'ada' } as WidgetCaller;
const OWNER = { spaceId: 'space', name: 'sub:ada', linkId: null };
const ADDRESS = '192.0.2.1';
const NOW = 1_700_000_000_000;

export const ASSISTANT: LinkedAssistant = {
  filters: {
    spaceFilter: matchAll,
    storedSpaceFilter: null,
    permissionFilter: matchAll,
    filter: matchAll,
  },
  claims: {} as LinkedAssistant['claims'],
  chatHistory: true,
  attachments: true,
  suggestions: true,
  reasoning: false,
  bot: {
    id: 1,
    name: 'Shop',
    greeting: null,
    suggestions: [],
    systemPrompt: null,
    model: null,
    handoff: null,
    contact: null,
  },
  hasHandoff: false,
  texts: { name: 'Shop', title: null, greeting: null, suggestions: [] },
  systemPromptInsertion: null,
  context: null,
  userInformation: null,
  budgets: { space: null, link: null },
  locale: null,
};

const UPDATED_AT = '2026-11-01T00:00:00.000Z';

export const PASSAGE: RankedPassage = {
  documentId: 'returns',
  fileName: 'returns.md',
  title: 'Returns',
  url: null,
  position: 0,
  heading: null,
  text: 'A refund takes five days.',
  score: 1,
  metadata: '{}',
  projectionId: null,
  updatedAt: UPDATED_AT,
};

type Answer = (question: Question) => AsyncIterable<AnswerPart>;

/** Opens turns on the store of the test run. `answer` answers each question. */
export async function openTurns(answer: Answer, overrides: Partial<TurnsDeps> = {}) {
  const store = await openNewStore();
  await addSpace(store, 'space');
  await addLink(store, { spaceId: 'space', id: VISITOR.linkId });
  const repository = createConversationRepository(store.db, store.writeAtomically);
  let beforeSaving = async () => {};
  const conversations = {
    ...repository,
    saveQuestion: async (...question: Parameters<typeof repository.saveQuestion>) => {
      await beforeSaving();
      await repository.saveQuestion(...question);
    },
  };
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
            {
              ...{ fileName: `${id}.md`, title: id, url: null, mimeType: 'text/markdown' },
              updatedAt: UPDATED_AT,
            },
          ]),
        ),
    },
    search: async () => [PASSAGE],
    attachments: { ofTurn: async () => ({ asked: [], available: async () => [] }) },
    links: {
      assistantOf: async () => ASSISTANT,
      filtersOf: async () => ASSISTANT.filters,
      preview: async () => ({ assistant: ASSISTANT, predicates: [] }),
      watch: async () => ASSISTANT.filters,
    },
    answerer,
    callTools: { of: async () => [] },
    limits,
    count: {
      turn: (_, outcome) => outcomes.push(outcome),
      tokens: (_, input, output) => tokens.push(input, output),
      cost: () => {},
    },
    budgets: createBudgetRepository(store.db),
    pricesOf: () => ({ input: 3, output: 5 }),
    clock: () => NOW,
    onFailure: (error) => failures.push(error),
    ...overrides,
  });

  return {
    turns,
    /** Runs a function before each question is stored. If it fails, the question is not stored. */
    beforeSaving: (run: () => Promise<void>) => {
      beforeSaving = run;
    },
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
    /** Returns the stored `answered` of each answer. */
    async answered(): Promise<(number | null)[]> {
      const found = await conversations.find(OWNER, 'chat');
      const rows = found === null ? [] : await conversations.messages(found, 10);
      return rows.flatMap(({ role, answered }) => (role === 'user' ? [] : [answered]));
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
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

export async function chunksOf(turn: Turn, gone = new AbortController().signal): Promise<Chunk[]> {
  return Array.fromAsync(turn.run(gone));
}

export function typesOf(chunks: readonly Chunk[]): string[] {
  return chunks.map(({ type }) => type);
}

export function failureIn(chunks: readonly Chunk[]) {
  const found = chunks.find(({ type }) => type === 'message-metadata');
  return found?.type === 'message-metadata' ? found.messageMetadata : null;
}

export function text(content: string): AnswerPart {
  return { kind: 'text', text: content };
}

/** Yields `A refund ` and then waits until the question's signal aborts. */
export async function* unfinished({ signal }: Question): AsyncGenerator<AnswerPart> {
  yield text('A refund ');
  signal.throwIfAborted();
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
