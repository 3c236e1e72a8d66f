import { randomBytes } from 'node:crypto';
import type { AnswerPart, AnswerTool, Question, SourcePassage } from '../answerer.ts';
import { followUpQuery } from '../extractive/follow-up.ts';
import { smallTalkOf } from '../extractive/small-talk/small-talk.ts';
import { Answer } from './answer.ts';
import { failureOf } from './failure.ts';
import type { ChatModel, Models } from './models.ts';
import { dataBlock, GivenPassages, passageBlocks, promptOf } from './prompt.ts';
import { type ModelTool, modelRounds, type RoundPart } from './rounds.ts';
import { type AnswerLimits, Watch } from './watch.ts';

const MAX_QUERY_LENGTH = 500;
const MAX_PASSAGES = 8;

/** Optional parts of a request, which some servers reject. */
export interface RequestOptions {
  /** The request has the search tool and the tools of the bot. */
  readonly tools: boolean;
  /** The request asks for token counts with `stream_options`. */
  readonly usage: boolean;
}

/** Asks a model. Throws as specified by `Answerer`. */
export async function* askModel(
  models: Models,
  name: string,
  question: Question,
  limits: AnswerLimits,
  { tools, usage }: RequestOptions,
): AsyncGenerator<AnswerPart> {
  question.signal.throwIfAborted();
  using watch = new Watch(question.signal, limits);
  const given = new GivenPassages();
  const answer = new Answer(given, limits.text, question.showsReasoning);
  try {
    const model = await watch.until(models(name, usage));
    // The marker is random, so that no document or tool can contain the marker and end its data block.
    const marker = `data-${randomBytes(8).toString('hex')}`;
    const calls = new ToolCalls(question, watch, marker, tools ? limits.toolCalls : 0);
    const searches = tools ? limits.searches : 0;
    const asked = { ...question, passages: await watch.until(passagesFor(question)) };
    const rounds = searches + (calls.isEmpty ? 0 : limits.toolCalls);
    const parts = partsOf(model, asked, { given, marker, searches, calls, rounds }, watch);
    let next = parts.next();
    for (;;) {
      const received = await watch.until(calls.isEmpty ? next : Promise.race([next, calls.news()]));
      yield* calls.take();
      if (received === undefined) continue;
      const { done, value: part } = received;
      if (done) break;
      if (part.type === 'round-start') watch.expectsStart();
      else if (part.type !== 'end') watch.expectsProgress();
      yield* answer.take(part);
      next = parts.next();
    }
    answer.end();
    // A model does not report that it found nothing, but it must cite what it takes from documents.
    if (answer.citesNothing && !calls.hasResult && smallTalkOf(question.question) === null)
      yield { kind: 'unanswered' };
  } catch (error) {
    if (question.signal.aborted) throw question.signal.reason;
    throw failureOf(watch.signal.aborted ? watch.signal.reason : error);
  }
}

/**
 * Returns the passages of a question. For a follow-up question, which alone often matches nothing useful, passages for its words
 * together with the words of the earlier question come first. If that search fails, the model can still search itself.
 */
async function passagesFor(question: Question): Promise<readonly SourcePassage[]> {
  const query = followUpQuery(question.question, question.history, question.locale);
  if (query === null) return question.passages;
  const further = await question.search(query).catch(() => []);
  const passages = new Map<string, SourcePassage>();
  for (const passage of [...further, ...question.passages]) {
    const key = `${passage.position} ${passage.documentId}`;
    if (!passages.has(key)) passages.set(key, passage);
  }
  return [...passages.values()].slice(0, MAX_PASSAGES);
}

interface Round {
  readonly given: GivenPassages;
  readonly marker: string;
  /** Maximum number of searches. */
  readonly searches: number;
  readonly calls: ToolCalls;
  /** Maximum number of requests with tools. */
  readonly rounds: number;
}

function partsOf(
  model: ChatModel,
  question: Question,
  { given, marker, searches, calls, rounds }: Round,
  { signal }: Watch,
): AsyncGenerator<RoundPart> {
  const search: ModelTool = {
    description: 'Searches the documents. Returns numbered passages as data.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'A few words to search for.' } },
      required: ['query'],
      additionalProperties: false,
    },
    execute: searcher(question, given, marker, searches),
  };
  const has = { search: searches > 0, others: !calls.isEmpty, page: calls.hasPageTools };
  const tools = { ...calls.byName(), ...(has.search && { search }) };
  const messages = promptOf(question, given, marker, has);
  return modelRounds(model, { messages, tools, rounds, signal });
}

/**
 * Returns a search in the scope of the person who asks, limited to `times` calls. The search returns its results as text for
 * the model.
 */
function searcher(
  { search }: Pick<Question, 'search'>,
  given: GivenPassages,
  marker: string,
  times: number,
) {
  let remaining = times;
  return async (input: unknown): Promise<string> => {
    const { query } = Object(input);
    if (typeof query !== 'string') return 'The search needs a query.';
    if (remaining-- <= 0) return 'No more searches. Answer from the passages you have.';
    let found: readonly SourcePassage[];
    try {
      found = await search(query.slice(0, MAX_QUERY_LENGTH));
    } catch {
      return 'The search failed. Answer from the passages you have.';
    }
    return passageBlocks(found.slice(0, MAX_PASSAGES), given, marker);
  };
}

/** The calls of the bot's tools in one answer. Parts are reported while a call is running, so `news` tells when to take them. */
class ToolCalls {
  /** `true` if the result of a tool is part of the prompt. */
  hasResult = false;
  readonly #tools: readonly AnswerTool[];
  readonly #watch: Watch;
  readonly #marker: string;
  #remaining: number;
  #parts: AnswerPart[] = [];
  #wake: (() => void) | null = null;

  /**
   * @param times maximum number of calls.
   * @param marker encloses results, which are untrusted.
   */
  constructor({ tools }: Pick<Question, 'tools'>, watch: Watch, marker: string, times: number) {
    this.#tools = times > 0 ? tools : [];
    this.#watch = watch;
    this.#marker = marker;
    this.#remaining = times;
  }

  get isEmpty(): boolean {
    return this.#tools.length === 0;
  }

  get hasPageTools(): boolean {
    return this.#tools.some(({ isOfPage }) => isOfPage === true);
  }

  /** Returns the tools by name. `AnswerTool.start` checks the arguments of their calls. */
  byName(): Readonly<Record<string, ModelTool>> {
    return Object.fromEntries(
      this.#tools.map((tool) => [
        tool.name,
        {
          description: tool.description,
          inputSchema: tool.inputSchema,
          execute: (input: unknown) => this.#call(tool, input),
        },
      ]),
    );
  }

  /** Resolves when there are parts to take. Each call replaces the promise of the previous one. */
  news(): Promise<undefined> {
    if (this.#parts.length > 0) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#wake = () => resolve(undefined);
    return promise;
  }

  take(): readonly AnswerPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  /** Calls a tool and returns the text for the model. */
  async #call(tool: AnswerTool, input: unknown): Promise<string> {
    if (this.#remaining-- <= 0) return 'No more calls of tools. Answer now.';
    const resume = this.#watch.pause();
    try {
      const started = await tool.start(input, this.#watch.signal);
      if ('problem' in started) return `The arguments are invalid: ${started.problem}`;
      const { call } = started;
      this.#report({ kind: 'tool-call', call });
      const { outcome, text } = await started.result();
      this.#report({ kind: 'tool-result', id: call.id, outcome });
      if (outcome === 'denied') return text;
      this.hasResult ||= outcome === 'succeeded';
      const label = `${outcome === 'failed' ? 'failure' : 'result'} of the tool ${tool.name}`;
      return dataBlock(this.#marker, label, text);
    } finally {
      resume();
    }
  }

  #report(part: AnswerPart): void {
    this.#parts.push(part);
    this.#wake?.();
    this.#wake = null;
  }
}
