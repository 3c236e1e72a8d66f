import { ApiError } from '@gatehouse/contract';
import type { NamedDocument } from '../../knowledge/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import type { LinkedAssistant } from '../../links/index.ts';
import type { Answerer, AnswerPart } from '../answerer.ts';
import { AnswerFailure } from '../answerer.ts';
import { type Source, toSourcePart } from '../conversations/source.rules.ts';
import type { Thread } from '../conversations/thread.service.ts';
import { AnswerSoFar } from './answer-so-far.ts';
import { costOf, type Prices } from './cost.rules.ts';
import type { LinkWatch } from './link-watch.ts';
import type { PassageSearch } from './passages.service.ts';
import { factsFor, instructionsFor } from './prompt.rules.ts';
import type { CountTurns } from './turn.metrics.ts';
import { turnFailure } from './turn-failure.rules.ts';
import { type Chunk, TEXT_ID } from './ui-stream.rules.ts';

export interface RunDeps {
  readonly answerer: Answerer;
  readonly clock: Clock;
  readonly count: CountTurns;
  /** Null: what an answer cost is not known. */
  readonly prices: Prices | null;
  readonly onFailure: (error: unknown, requestId: string) => void;
  /** Those of some documents that may be seen now. */
  readonly named: (ids: readonly string[]) => Promise<ReadonlyMap<string, NamedDocument>>;
}

export interface BegunTurn {
  /** Of the answer. */
  readonly id: string;
  readonly assistant: LinkedAssistant;
  readonly thread: Thread;
  /** What the page reports with the question; null when it reports nothing. */
  readonly reported: unknown;
  readonly search: PassageSearch;
  /** Starts to watch the link. */
  readonly watchLink: () => LinkWatch;
  readonly requestId: string;
  /** To be called when all is over. */
  readonly leave: () => void;
}

interface Signals {
  /** The client stopped, or went away. */
  readonly gone: AbortSignal;
  /** The service ends. */
  readonly ending: AbortSignal;
}

type Outcome = 'finished' | 'stopped' | 'failed';

/**
 *   answering ──end of the answer──▶ finished
 *   answering ──client gone────────▶ stopped
 *   answering ──link ended─────────▶ failed, said in the stream
 *   answering ──anything thrown────▶ failed, said in the stream
 *
 * Each outcome is kept with what was shown until then, before the stream says how it ended; but of an
 * answer that was stopped before it began nothing is, so that the one before it stays.
 */
export async function* runTurn(
  deps: RunDeps,
  turn: BegunTurn,
  { gone, ending }: Signals,
): AsyncGenerator<Chunk> {
  const { id, thread, requestId } = turn;
  const answer = new AnswerSoFar();
  using watch = turn.watchLink();
  const signal = AbortSignal.any([gone, ending, watch.signal]);
  const { conversationId } = thread;
  try {
    yield { type: 'start', messageId: id, messageMetadata: { conversationId } };
    yield* relay(deps, turn, answer, signal);
    await keep(deps, turn, answer, 'finished', null);
    deps.count.turn('finished');
    const messageMetadata = { state: 'finished' } as const;
    yield { type: 'finish', finishReason: 'stop', messageMetadata };
  } catch (error) {
    deps.count.turn(gone.aborted ? 'stopped' : 'failed');
    if (gone.aborted) await keepWhatWasShown(deps, turn, answer, 'stopped', null);
    else {
      const reason = signal.aborted ? signal.reason : error;
      const failure = turnFailure(reason, requestId);
      const linkEnded = watch.signal.aborted && reason instanceof ApiError;
      if (!linkEnded) deps.onFailure(reason, requestId);
      await keepWhatWasShown(deps, turn, answer, 'failed', failure.code);
      const { code, retriable, message } = failure;
      const messageMetadata = { state: 'failed', code, retriable } as const;
      yield { type: 'message-metadata', messageMetadata };
      yield { type: 'error', errorText: message };
    }
  } finally {
    turn.leave();
  }
}

/** The parts of the answer as they come; what was yielded is in `answer`. */
async function* relay(
  deps: RunDeps,
  { assistant, thread, reported, search }: BegunTurn,
  answer: AnswerSoFar,
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  const find = (query: string) => search.find(query, signal);
  const passages = await find(thread.question);
  signal.throwIfAborted();
  const parts = deps.answerer.answer({
    model: assistant.bot.model,
    locale: assistant.locale,
    instructions: instructionsFor(assistant),
    facts: factsFor(assistant, reported),
    history: thread.history,
    question: thread.question,
    passages,
    search: find,
    signal,
  });
  for await (const part of parts) {
    signal.throwIfAborted();
    yield* toChunks(deps, part, answer);
  }
  if (answer.text === '') throw new AnswerFailure('garbage', 'an answer without text');
  yield { type: 'text-end', id: TEXT_ID };
}

async function* toChunks(
  { named, count, prices }: RunDeps,
  part: AnswerPart,
  answer: AnswerSoFar,
): AsyncGenerator<Chunk> {
  if (part.kind === 'model') answer.model = part.name;
  else if (part.kind === 'usage') {
    const { inputTokens, outputTokens } = part;
    const cost = prices === null ? null : costOf(prices, inputTokens, outputTokens);
    answer.addUsage(inputTokens, outputTokens, cost);
    count.tokens(inputTokens, outputTokens);
    if (cost !== null) count.cost(cost);
  } else if (part.kind === 'text') {
    if (answer.text === '') yield { type: 'text-start', id: TEXT_ID };
    answer.text += part.text;
    yield { type: 'text-delta', id: TEXT_ID, delta: part.text };
  } else {
    const { documentId, position, heading } = part.passage;
    const document = (await named([documentId])).get(documentId);
    // It may have been taken away since it was found.
    if (document === undefined) return;
    const source: Source = { number: part.number, documentId, position, heading };
    answer.sources.push(source);
    yield toSourcePart(source, document);
  }
}

async function keep(
  { clock }: RunDeps,
  { id, thread, search }: BegunTurn,
  answer: AnswerSoFar,
  state: Outcome,
  failure: string | null,
): Promise<void> {
  await thread.keep({
    id,
    text: answer.text,
    state,
    failure,
    sources: JSON.stringify(answer.sources),
    documents: JSON.stringify([...new Set([...thread.documents, ...search.documents])]),
    input_tokens: answer.inputTokens,
    output_tokens: answer.outputTokens,
    model: answer.model,
    cost_millionths: answer.costMillionths,
    created_at: clock(),
  });
}

/** The same where the client is told something else already, or hears nothing any more. */
async function keepWhatWasShown(
  deps: RunDeps,
  turn: BegunTurn,
  answer: AnswerSoFar,
  state: Outcome,
  failure: string | null,
): Promise<void> {
  if (state === 'stopped' && !answer.isShown) return;
  try {
    await keep(deps, turn, answer, state, failure);
  } catch (error) {
    deps.onFailure(error, turn.requestId);
  }
}
