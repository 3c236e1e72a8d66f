import { createModelFetch } from './model-fetch.ts';
import { Pace } from './pace.ts';

type Sdk = typeof import('ai');
type StreamTextOptions = Parameters<Sdk['streamText']>[0];
export type Messages = NonNullable<StreamTextOptions['messages']>;
/** A part of the SDK's stream, of all steps of an answer. */
export type ModelPart = Sdk extends {
  streamText(options: never): { stream: AsyncIterable<infer P> };
}
  ? P
  : never;

/** An API that is compatible with OpenAI's (`POST {url}/chat/completions`). */
export interface ModelApi {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string | null;
}

export interface LoadedModel {
  readonly sdk: Sdk;
  readonly model: StreamTextOptions['model'];
}

/** Returns the model with this name. */
export type Models = (name: string) => Promise<LoadedModel>;

/** Number of models that are kept. Creating one takes the SDK half a millisecond and 100 kB. */
const MAX_KEPT = 100;

/**
 * Returns the models of an API. The SDK is loaded with the first answer, so an installation without a model never loads it.
 *
 * @param maxBytes of one response.
 */
export function createModels({ url, key }: ModelApi, maxBytes: number): Models {
  const kept = new Map<string, LoadedModel['model']>();
  let loading: ReturnType<typeof load> | null = null;

  async function load() {
    // Its warnings would print what was sent.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    const sdk = await import('ai');
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'model',
      baseURL: url,
      ...(key === null ? {} : { apiKey: key }),
      fetch: createModelFetch(maxBytes, new Pace()),
      includeUsage: true,
    });
    return { sdk, provider };
  }

  return async (name) => {
    loading ??= load();
    const { sdk, provider } = await loading;
    const model =
      kept.get(name) ??
      sdk.wrapLanguageModel({
        model: provider(name),
        middleware: sdk.extractReasoningMiddleware({ tagName: 'think' }),
      });
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(name, model);
    return { sdk, model };
  };
}
