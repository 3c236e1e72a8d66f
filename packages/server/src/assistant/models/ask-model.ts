import { randomBytes } from 'node:crypto';
import type { AnswerPart, Question, SourcePassage } from '../answerer.ts';
import { Answer } from './answer.ts';
import { failureOf } from './failure.ts';
import type { LoadedModel, ModelPart, Models } from './models.ts';
import { GivenPassages, passageBlocks, promptOf } from './prompt.ts';
import { type AnswerLimits, Watch } from './watch.ts';

const MAX_QUERY_LENGTH = 500;
/** Passages per search; the best come first. */
const MAX_PASSAGES = 8;

/** Asks the model called `name`, with or without a search tool. Fails as `Answerer` specifies. */
export async function* askModel(
  models: Models,
  name: string,
  question: Question,
  limits: AnswerLimits,
): AsyncGenerator<AnswerPart> {
  question.signal.throwIfAborted();
  using watch = new Watch(question.signal, limits);
  const given = new GivenPassages();
  const answer = new Answer(given, limits.text);
  try {
    const loaded = await watch.until(models(name));
    const stream = streamOf(loaded, question, given, limits.searches, watch.signal);
    const parts = stream[Symbol.asyncIterator]();
    for (;;) {
      const { done, value: part } = await watch.until(parts.next());
      if (done) break;
      if (part.type === 'finish-step') watch.expectsStart();
      else if (PROGRESS.has(part.type)) watch.expectsProgress();
      yield* answer.take(part);
    }
    answer.end();
  } catch (error) {
    if (question.signal.aborted) throw question.signal.reason;
    throw failureOf(watch.signal.aborted ? watch.signal.reason : error);
  }
}

const PROGRESS: ReadonlySet<ModelPart['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-start',
  'tool-input-delta',
  'tool-call',
]);

function streamOf(
  { sdk, model }: LoadedModel,
  question: Question,
  given: GivenPassages,
  searches: number,
  abortSignal: AbortSignal,
): AsyncIterable<ModelPart> {
  // Documents cannot contain it, so nothing in them can end the block that they are in.
  const marker = `data-${randomBytes(8).toString('hex')}`;
  const search = sdk.tool({
    description: 'Finds passages of the documents by words. It gives them as data, numbered.',
    inputSchema: sdk.jsonSchema<{ query?: unknown }>({
      type: 'object',
      properties: { query: { type: 'string', description: 'A few words to look for.' } },
      required: ['query'],
      additionalProperties: false,
    }),
    execute: searcher(question, given, marker, searches),
  });
  return sdk.streamText({
    model,
    ...promptOf(question, given, marker, searches > 0),
    ...(searches > 0 && { tools: { search } }),
    // In the last step the model has to answer.
    stopWhen: sdk.isStepCount(searches + 1),
    prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber < searches ? 'auto' : 'none' }),
    abortSignal,
    maxRetries: 0,
    telemetry: { isEnabled: false },
    // The default prints errors, which contain what was sent.
    onError: () => {},
  }).stream;
}

/** Searches in the scope of the person who asks, at most `times` times. The result is what the model is told. */
function searcher(
  { search }: Pick<Question, 'search'>,
  given: GivenPassages,
  marker: string,
  times: number,
) {
  let left = times;
  return async ({ query }: { query?: unknown }): Promise<string> => {
    if (typeof query !== 'string') return 'The search needs a query.';
    if (left-- <= 0) return 'No more searches. Answer from what you have.';
    let found: readonly SourcePassage[];
    try {
      found = await search(query.slice(0, MAX_QUERY_LENGTH));
    } catch {
      return 'The search failed. Answer from what you have.';
    }
    return passageBlocks(found.slice(0, MAX_PASSAGES), given, marker);
  };
}
