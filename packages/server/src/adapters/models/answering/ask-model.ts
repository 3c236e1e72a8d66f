import { randomBytes } from 'node:crypto';
import type { TextStreamPart, ToolSet } from 'ai';
import { AnswerFailure, type AnswerPart, type Question } from '../../../ports/answerer.ts';
import { CitationReader } from './citations.ts';
import { failureOf } from './failure.ts';
import type { AnswerLimits } from './limits.ts';
import { GivenPassages } from './passages.ts';
import { promptOf } from './prompt.ts';
import { loadSdk } from './sdk.ts';
import { searchTool } from './search-tool.ts';
import { Watch } from './watch.ts';
import { WholeCharacters } from './whole-characters.ts';
import { createWire } from './wire.ts';

/** An API that speaks as OpenAI's does (`POST {url}/chat/completions`). */
export interface ModelApi {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | null;
}

/** Asks the model called `name`, with or without a search tool. Fails as `Answerer` says. */
export async function* askModel(
  api: ModelApi,
  name: string,
  question: Question,
  limits: AnswerLimits,
): AsyncGenerator<AnswerPart> {
  question.signal.throwIfAborted();
  using watch = new Watch(question.signal, limits);
  const wire = createWire(limits.bytes);
  const given = new GivenPassages();
  const answer = new Answer(given, limits.text);
  try {
    const parts = await watch.until(start(api, name, question, limits, { watch, wire, given }));
    const iterator = parts[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await watch.until(iterator.next());
      if (done) break;
      if (value.type === 'start-step') watch.begins();
      else if (SAYS_SOMETHING.has(value.type)) watch.goesOn();
      yield* answer.take(value);
    }
    answer.end();
  } catch (error) {
    if (question.signal.aborted) throw question.signal.reason;
    const { aborted, reason } = watch.signal;
    throw aborted && reason instanceof AnswerFailure
      ? reason
      : (wire.failure() ?? failureOf(error));
  }
}

const SAYS_SOMETHING: ReadonlySet<string> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-start',
  'tool-input-delta',
  'tool-call',
  'tool-result',
]);

interface Means {
  readonly watch: Watch;
  readonly wire: ReturnType<typeof createWire>;
  readonly given: GivenPassages;
}

async function start(
  { url, key }: ModelApi,
  name: string,
  question: Question,
  { searches }: AnswerLimits,
  { watch, wire, given }: Means,
): Promise<AsyncIterable<TextStreamPart<ToolSet>>> {
  const sdk = await loadSdk();
  const provider = sdk.createOpenAICompatible({
    name: 'model',
    baseURL: url,
    ...(key === null ? {} : { apiKey: key }),
    fetch: wire.fetch,
    includeUsage: true,
  });
  const model = sdk.wrapLanguageModel({
    model: provider.chatModel(name),
    // Some servers leave what a model thinks in its text.
    middleware: sdk.extractReasoningMiddleware({ tagName: 'think' }),
  });
  const marker = `data-${randomBytes(8).toString('hex')}`;
  const tools: ToolSet =
    searches > 0 ? { search: searchTool(sdk, question, given, marker, searches) } : {};
  const { stream } = sdk.streamText({
    model,
    ...promptOf(question, given, marker, searches > 0),
    tools,
    stopWhen: sdk.isStepCount(searches + 1),
    prepareStep: ({ stepNumber }) => (stepNumber < searches ? {} : { toolChoice: 'none' }),
    abortSignal: watch.signal,
    // Whoever asked decides whether to ask again.
    maxRetries: 0,
    telemetry: { isEnabled: false },
    // It would print them, with what was sent.
    onError: () => {},
  });
  return stream;
}

/** Some servers say nothing, or what cannot be. */
function isCount(tokens: number | undefined): tokens is number {
  return Number.isSafeInteger(tokens) && Number(tokens) >= 0;
}

/** What a model says, as parts of an answer. */
class Answer {
  readonly #given: GivenPassages;
  readonly #citations = new CitationReader();
  readonly #characters = new WholeCharacters();
  readonly #cited = new Set<number>();
  #left: number;
  #said = false;
  /** Whether what comes next belongs to another message than what was said so far. */
  #newMessage = false;
  #finish = '';

  constructor(given: GivenPassages, length: number) {
    this.#given = given;
    this.#left = length;
  }

  *take(part: TextStreamPart<ToolSet>): Generator<AnswerPart> {
    switch (part.type) {
      case 'start-step':
        this.#newMessage = this.#said;
        return;
      case 'text-delta':
        yield* this.#text(part.text);
        return;
      case 'finish-step': {
        const { inputTokens, outputTokens } = part.usage;
        this.#finish = part.rawFinishReason ?? part.finishReason;
        if (isCount(inputTokens) && isCount(outputTokens))
          yield { kind: 'usage', inputTokens, outputTokens };
        return;
      }
      case 'error':
        throw part.error;
    }
  }

  *#text(delta: string): Generator<AnswerPart> {
    const whole = this.#characters.take(delta);
    if (whole === '') return;
    const spaced = this.#newMessage ? `\n\n${whole}` : whole;
    this.#newMessage = false;
    const text = spaced.slice(0, this.#left).toWellFormed();
    this.#left -= spaced.length;
    if (text !== '') yield { kind: 'text', text };
    this.#said ||= /\S/.test(text);
    for (const number of this.#citations.read(text)) {
      const passage = this.#given.get(number);
      if (passage === undefined || this.#cited.has(number)) continue;
      this.#cited.add(number);
      yield { kind: 'source', number, passage };
    }
    if (this.#left < 0) throw new AnswerFailure('too-long', 'more text than allowed');
  }

  /** Throws when what was said is not a whole answer. */
  end(): void {
    if (this.#finish === 'content_filter') throw new AnswerFailure('withheld', 'content filter');
    if (this.#finish === 'length') throw new AnswerFailure('too-long', 'limit of the model');
    if (!this.#said) throw new AnswerFailure('garbage', 'no text');
  }
}
