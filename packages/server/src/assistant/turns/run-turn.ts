import { ApiError } from '@gatehouse/contract';
import { withoutUnknownCitations } from '@gatehouse/contract/answer-text';
import type { Filter } from '@gatehouse/filter';
import type { NamedDocument } from '../../knowledge/index.ts';
import type { Clock } from '../../lib/scheduling/index.ts';
import { GrowingText } from '../../lib/text/index.ts';
import type { LinkedAssistant } from '../../links/index.ts';
import type { BudgetRepository } from '../../platform/usage/index.ts';
import type { Answerer, AnswerPart, AnswerTool, Question, SourcePassage } from '../answerer.ts';
import { AnswerFailure } from '../answerer.ts';
import { documentOf, type Source, toSourcePart } from '../conversations/conversation.rules.ts';
import { digestOf, type UsedDocument } from '../conversations/visible-answers.service.ts';
import type { Prices } from '../models/index.ts';
import { suggestionsOf } from '../suggestions/suggestion.rules.ts';
import type { AskerLocale } from './asker-locale.rules.ts';
import type { LinkWatch } from './link-watch.ts';
import type { PassageSearch } from './passages.service.ts';
import { answererTexts, factsFor, instructionsFor } from './prompt.rules.ts';
import type { CountTurns } from './turn.metrics.ts';
import { TurnBudget } from './turn-budget.ts';
import { turnFailure } from './turn-failure.rules.ts';
import type { TurnHistory } from './turn-history.ts';
import { type Chunk, REASONING_ID, TEXT_ID, toCallParts, toResultPart } from './ui-stream.rules.ts';

export interface RunDeps {
  readonly answerer: Answerer;
  readonly budgets: Pick<BudgetRepository, 'add' | 'spent'>;
  readonly clock: Clock;
  readonly count: CountTurns;
  /** Returns the prices of a model, or null if its costs are not recorded. */
  readonly pricesOf: (model: string) => Prices | null;
  readonly onFailure: (error: unknown, requestId: string) => void;
  /** Returns the documents among `ids` that are visible now. */
  readonly named: (ids: readonly string[]) => Promise<ReadonlyMap<string, NamedDocument>>;
}

export interface BegunTurn {
  readonly id: string;
  readonly spaceId: string;
  /** `null` for a preview without a link. */
  readonly linkId: string | null;
  readonly assistant: LinkedAssistant;
  readonly history: TurnHistory;
  /** Facts that the page sends with the question, or `null`. */
  readonly reported: unknown;
  readonly askerLocale: AskerLocale;
  readonly search: PassageSearch;
  /** The filter of all searches. */
  readonly filter: Filter;
  /** Tools of the bot, bound to the link. */
  readonly tools: readonly AnswerTool[];
  readonly watchLink: () => LinkWatch;
  readonly requestId: string;
  /** Releases the turn's semaphores. Called once, at the end. */
  readonly release: () => void;
}

interface Signals {
  /** Aborts when the client stops the answer or disconnects. */
  readonly gone: AbortSignal;
  /** Aborts when the service stops. */
  readonly ending: AbortSignal;
}

type Outcome = 'finished' | 'stopped' | 'failed';

/**
 * Runs a turn and yields the parts of the stream.
 *
 *   answering ──end of the answer──▶ finished
 *   answering ──client gone────────▶ stopped
 *   answering ──link ended─────────▶ failed, reported in the stream
 *   answering ──error──────────────▶ failed, reported in the stream
 *
 * The outcome and the streamed text are stored before the stream reports the outcome. An answer that was stopped before
 * its first text is not stored, so an earlier answer to the same question remains.
 */
export async function* runTurn(
  deps: RunDeps,
  turn: BegunTurn,
  { gone, ending }: Signals,
): AsyncGenerator<Chunk> {
  const { id, spaceId, history, requestId } = turn;
  const answer = new PartialAnswer();
  using watch = turn.watchLink();
  const signal = AbortSignal.any([gone, ending, watch.signal]);
  const { conversationId } = history;
  try {
    yield { type: 'start', messageId: id, messageMetadata: { conversationId } };
    yield* relay(deps, turn, answer, signal);
    await store(deps, turn, answer, 'finished', null);
    deps.count.turn(spaceId, 'finished');
    const suggestions = await suggestionsFor(deps, turn, answer);
    const messageMetadata = { state: 'finished', ...suggestions } as const;
    yield { type: 'finish', finishReason: 'stop', messageMetadata };
  } catch (error) {
    deps.count.turn(spaceId, gone.aborted ? 'stopped' : 'failed');
    if (gone.aborted) await storeUnfinished(deps, turn, answer, 'stopped', null);
    else {
      const reason = signal.aborted ? signal.reason : error;
      const failure = turnFailure(reason, requestId);
      const linkEnded = watch.signal.aborted && reason instanceof ApiError;
      if (!linkEnded) deps.onFailure(reason, requestId);
      await storeUnfinished(deps, turn, answer, 'failed', failure.code);
      const { code, retriable, message } = failure;
      const messageMetadata = { state: 'failed', code, retriable } as const;
      yield { type: 'message-metadata', messageMetadata };
      yield { type: 'error', errorText: message };
    }
  } finally {
    turn.release();
  }
}

async function* relay(
  deps: RunDeps,
  { spaceId, linkId, assistant, history, reported, askerLocale, search, tools }: BegunTurn,
  answer: PartialAnswer,
  signal: AbortSignal,
): AsyncGenerator<Chunk> {
  const find = async (query: string) => {
    const found = await search.find(query, signal);
    answer.found.push(...found);
    return found;
  };
  const passages = await find(history.question);
  signal.throwIfAborted();
  const budget = new TurnBudget(deps, { spaceId, linkId, budgets: assistant.budgets });
  const question: Question = {
    model: assistant.bot.model,
    locale: askerLocale.locale ?? assistant.locale,
    texts: answererTexts(assistant),
    instructions: instructionsFor(assistant),
    facts: factsFor(assistant, reported, askerLocale.time),
    history: history.messages,
    question: history.question,
    passages,
    search: find,
    isBudgetUsed: await budget.isUsedUp(),
    showsReasoning: assistant.reasoning,
    tools,
    signal,
  };
  let isReasoning = false;
  for await (const part of budget.meter(question, deps.answerer.answer(question))) {
    signal.throwIfAborted();
    // The protocol requires a start and an end around reasoning.
    const reasons = part.kind === 'reasoning';
    if (reasons !== isReasoning) {
      isReasoning = reasons;
      yield { type: reasons ? 'reasoning-start' : 'reasoning-end', id: REASONING_ID };
    }
    yield* toChunks(deps, part, answer, { spaceId, signal });
  }
  if (answer.text.length === 0) throw new AnswerFailure('garbage', 'an answer without text');
  yield { type: 'text-end', id: TEXT_ID };
}

async function* toChunks(
  { named, count, pricesOf }: RunDeps,
  part: AnswerPart,
  answer: PartialAnswer,
  { spaceId, signal }: { readonly spaceId: string; readonly signal: AbortSignal },
): AsyncGenerator<Chunk> {
  if (part.kind === 'request') return;
  if (part.kind === 'model') answer.model = part.name;
  else if (part.kind === 'usage') {
    const { inputTokens, outputTokens } = part;
    const prices = answer.model === null ? null : pricesOf(answer.model);
    const cost = prices === null ? null : costOf(prices, inputTokens, outputTokens);
    answer.addUsage(inputTokens, outputTokens, cost);
    count.tokens(spaceId, inputTokens, outputTokens);
    if (cost !== null) count.cost(spaceId, cost);
  } else if (part.kind === 'text') {
    if (answer.text.length === 0) {
      yield { type: 'text-start', id: TEXT_ID };
      // An answer that ended here has no text, so it is not stored.
      signal.throwIfAborted();
    }
    answer.text.add(part.text);
    yield { type: 'text-delta', id: TEXT_ID, delta: part.text };
  } else if (part.kind === 'reasoning')
    yield { type: 'reasoning-delta', id: REASONING_ID, delta: part.text };
  else if (part.kind === 'unanswered') answer.isUnanswered = true;
  else if (part.kind === 'tool-call') yield* toCallParts(part.call);
  else if (part.kind === 'tool-result') yield toResultPart(part);
  else {
    const { documentId, position, heading, fileName, text, attachment: file } = part.passage;
    const attachment = file === undefined ? {} : { attachment: { fileName, text, ...file } };
    const document = documentOf(attachment) ?? (await named([documentId])).get(documentId);
    // The document may have become invisible since the search.
    if (document === undefined) return;
    const source: Source = { number: part.number, documentId, position, heading, ...attachment };
    answer.sources.push(source);
    answer.cited.push(part.passage);
    yield toSourcePart(source, document);
  }
}

/** Returns suggestions for the metadata of a finished answer. */
async function suggestionsFor(
  { named, onFailure }: RunDeps,
  { assistant, history, requestId }: BegunTurn,
  { found, cited, isUnanswered }: PartialAnswer,
): Promise<{ suggestions?: readonly string[] }> {
  if (!assistant.suggestions || isUnanswered || cited.length === 0) return {};
  try {
    const suggested = suggestionsOf({ found, cited, question: history.question });
    // A document may have become invisible since the search.
    const visible = await named([...new Set(suggested.map(({ documentId }) => documentId))]);
    const texts = suggested.flatMap(({ documentId, text }) =>
      visible.has(documentId) ? [text] : [],
    );
    return texts.length === 0 ? {} : { suggestions: texts };
  } catch (error) {
    // The answer is complete and stored.
    onFailure(error, requestId);
    return {};
  }
}

/** Returns the cost in millionths of the currency unit. */
function costOf({ input, output }: Prices, inputTokens: number, outputTokens: number) {
  return inputTokens * input + outputTokens * output;
}

/** Returns the documents that have been available to the answer so far, also through earlier answers. */
export function availableDocuments({
  history,
  search,
}: Pick<BegunTurn, 'history' | 'search'>): readonly UsedDocument[] {
  return [...new Set([...history.documents, ...search.documents])];
}

async function store(
  { clock }: RunDeps,
  { id, history, search, filter }: BegunTurn,
  answer: PartialAnswer,
  state: Outcome,
  failure: string | null,
): Promise<void> {
  await history.store({
    id,
    text: answer.storedText,
    state,
    failure,
    sources: JSON.stringify(answer.sources),
    documents: JSON.stringify(availableDocuments({ history, search })),
    filter_digest: digestOf(filter),
    input_tokens: answer.inputTokens,
    output_tokens: answer.outputTokens,
    model: answer.model,
    cost_millionths: answer.costMillionths,
    answered: answer.answered(state),
    created_at: clock(),
  });
}

/** Stores an unfinished answer. A storage failure is only logged, because the client receives the original failure. */
async function storeUnfinished(
  deps: RunDeps,
  turn: BegunTurn,
  answer: PartialAnswer,
  state: Outcome,
  failure: string | null,
): Promise<void> {
  if (state === 'stopped' && !answer.isShown) return;
  try {
    await store(deps, turn, answer, state, failure);
  } catch (error) {
    deps.onFailure(error, turn.requestId);
  }
}

/** The streamed part of an answer, which can be stored whenever the answer ends. */
class PartialAnswer {
  readonly text = new GrowingText();
  readonly sources: Source[] = [];
  /** Passages that the searches of the answer found. */
  readonly found: SourcePassage[] = [];
  readonly cited: SourcePassage[] = [];
  model: string | null = null;
  isUnanswered = false;
  #inputTokens: number | null = null;
  #outputTokens: number | null = null;
  #cost: number | null = null;

  /**
   * Adds the tokens of one request to the model.
   *
   * @param cost in millionths of the currency unit, or `null` without prices.
   */
  addUsage(input: number, output: number, cost: number | null): void {
    this.#inputTokens = (this.#inputTokens ?? 0) + input;
    this.#outputTokens = (this.#outputTokens ?? 0) + output;
    if (cost !== null) this.#cost = (this.#cost ?? 0) + cost;
  }

  /** `null` if the model reported no tokens. */
  get inputTokens(): number | null {
    return this.#inputTokens;
  }

  get outputTokens(): number | null {
    return this.#outputTokens;
  }

  /** In whole millionths. `null` without prices, or if the model reported no tokens. */
  get costMillionths(): number | null {
    return this.#cost === null ? null : Math.round(this.#cost);
  }

  /** The streamed text without citations that have no source. Clients hide such citations. */
  get storedText(): string {
    const known = new Set(this.sources.map(({ number }) => number));
    return withoutUnknownCitations(this.text.toString(), known);
  }

  /** Returns the stored value: 1 or 0, or `null` if the answer ended before a citation. */
  answered(state: Outcome): 0 | 1 | null {
    if (this.isUnanswered) return 0;
    return state === 'finished' || this.sources.length > 0 ? 1 : null;
  }

  get isShown(): boolean {
    return this.text.length > 0 || this.sources.length > 0;
  }
}
