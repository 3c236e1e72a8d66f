import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/caching/index.ts';
import {
  generateInSpan,
  type SetAttributes,
  type SpanOptions,
} from '../../platform/traces/index.ts';
import { type Answerer, AnswerFailure, type AnswerPart, type Question } from '../answerer.ts';
import { askModel, type RequestOptions } from './ask-model.ts';
import { Failover, type OnFailover } from './failover.ts';
import { type RejectedPart, rejectedPart } from './failure.ts';
import type { ModelDirectory } from './model-directory.ts';
import { createModels, type ModelApi, type Models } from './models.ts';
import { ANSWER_LIMITS, type AnswerLimits } from './watch.ts';

export type { OnFailover } from './failover.ts';
export {
  createModelDirectory,
  type ModelDirectory,
  type ModelDirectoryOptions,
  type Prices,
} from './model-directory.ts';

export interface ModelAnswererOptions {
  readonly models: ModelDirectory;
  readonly onFailover?: OnFailover;
  readonly limits?: Partial<AnswerLimits>;
}

/** Maximum number of APIs whose clients are cached. */
const MAX_APIS = 100;
/** Maximum number of models whose accepted request options are remembered. */
const MAX_REMEMBERED = 1000;

/**
 * Creates an answerer that uses models with an OpenAI-compatible API. If a model fails, the fallback of the directory answers.
 * The model receives `Question.instructions` and the citation rules as instructions, and passages and facts as data. The model can
 * search a limited number of times. A citation becomes a source only if the model received the cited passage. A model without tool
 * support answers from the given passages.
 */
export function createModelAnswerer({
  models,
  onFailover = () => {},
  limits,
}: ModelAnswererOptions): Answerer {
  const all = { ...ANSWER_LIMITS, ...limits };
  const failover = new Failover({
    fallback: models.fallback,
    retryMs: all.retryMs,
    onFailover,
  });
  const clients = new LRUCache<string, Models>({ max: MAX_APIS });
  const accepted = new LRUCache<string, RequestOptions>(atMost(MAX_REMEMBERED));

  function clientOf(api: ModelApi): Models {
    const key = JSON.stringify([api.url, api.key]);
    const client = clients.get(key) ?? createModels(api, all.bytes);
    clients.set(key, client);
    return client;
  }

  /** Repeats a rejected request without the parts that the server may have rejected, and remembers the accepted request. */
  async function* ask(model: string, question: Question): AsyncGenerator<AnswerPart> {
    const configured = models.find(model);
    if (configured === null) throw new AnswerFailure('refused', 'unknown model name');
    const client = clientOf(configured.api);
    let candidates = reductionsOf(accepted.get(model) ?? { tools: all.searches > 0, usage: true });
    for (;;) {
      const [options, ...rest] = candidates;
      let hasStarted = false;
      try {
        const parts = generateInSpan(`chat ${model}`, spanOf(model), (set) =>
          withUsage(set, askModel(client, configured.model, question, all, options)),
        );
        for await (const part of parts) {
          if (!hasStarted && part.kind !== 'request') {
            accepted.set(model, options);
            hasStarted = true;
          }
          yield part;
        }
        return;
      } catch (error) {
        const rejected = hasStarted ? null : rejectedPart(error);
        const next = rest.filter((other) => rejected !== null && omits(other, rejected, options));
        if (!isNotEmpty(next)) throw error;
        candidates = next;
      }
    }
  }

  return {
    async *answer(question) {
      const model = question.model ?? models.name;
      if (model === null) throw new AnswerFailure('refused', 'no model name configured');
      yield* failover.answer(model, (name) => ask(name, question), question.signal);
    },
  };
}

function spanOf(model: string): SpanOptions {
  const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model };
  return { kind: 'client', attributes };
}

/** Adds the token counts of an answer to its span. */
async function* withUsage(
  set: SetAttributes,
  parts: AsyncGenerator<AnswerPart>,
): AsyncGenerator<AnswerPart> {
  for await (const part of parts) {
    if (part.kind === 'usage')
      set({
        'gen_ai.usage.input_tokens': part.inputTokens,
        'gen_ai.usage.output_tokens': part.outputTokens,
      });
    yield part;
  }
}

type Candidates = readonly [RequestOptions, ...RequestOptions[]];

/** Returns the options and all combinations of fewer options, in the order in which they are tried. */
function reductionsOf({ tools, usage }: RequestOptions): Candidates {
  const fewer = [
    ...(tools ? [{ tools: false, usage }] : []),
    ...(usage ? [{ tools, usage: false }] : []),
    ...(tools && usage ? [{ tools: false, usage: false }] : []),
  ];
  return [{ tools, usage }, ...fewer];
}

/** Reports whether a request with the given options omits a part that the server rejected in an earlier request. */
function omits(request: RequestOptions, rejected: RejectedPart, earlier: RequestOptions): boolean {
  if (rejected === 'usage') return !request.usage;
  return rejected === 'any' || (!request.tools && request.usage === earlier.usage);
}

function isNotEmpty(candidates: readonly RequestOptions[]): candidates is Candidates {
  return candidates.length > 0;
}
