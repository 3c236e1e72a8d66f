import type { Experimental_LanguageModelStreamPart } from 'ai';
import { createModelFetch } from './model-fetch.ts';
import { Pace } from './pace.ts';

export type Sdk = typeof import('ai');
type CallOptions = Parameters<Sdk['experimental_streamLanguageModelCall']>[0];
export type Messages = NonNullable<CallOptions['messages']>;
/** A part of a response of a model. */
export type ModelPart = Experimental_LanguageModelStreamPart;

/** An API that is compatible with OpenAI's (`POST {url}/chat/completions`). */
export interface ModelApi {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string | null;
}

export interface LoadedModel {
  readonly sdk: Sdk;
  readonly model: CallOptions['model'];
}

/** Returns a model. `withUsage`: requests the token counts with `stream_options`, which some servers reject. */
export type Models = (name: string, withUsage: boolean) => Promise<LoadedModel>;

/** Maximum number of cached models. Creating a model takes half a millisecond and 100 kB. */
const MAX_CACHED = 100;

/**
 * Returns the models of an API. The SDK is loaded for the first answer, so an installation without a model never loads the SDK.
 *
 * @param maxBytes maximum size of one response.
 */
export function createModels({ url, key }: ModelApi, maxBytes: number): Models {
  const cached = new Map<string, LoadedModel['model']>();
  let loading: ReturnType<typeof load> | null = null;

  async function load() {
    // The SDK's warnings would print the prompt.
    Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
    const sdk = await import('ai');
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const fetch = createModelFetch(maxBytes, new Pace());
    const create = (includeUsage: boolean) =>
      createOpenAICompatible({
        name: 'model',
        baseURL: url,
        ...(key === null ? {} : { apiKey: key }),
        fetch,
        includeUsage,
      });
    return { sdk, withUsage: create(true), withoutUsage: create(false) };
  }

  return async (name, withUsage) => {
    loading ??= load();
    const { sdk, ...providers } = await loading;
    const provider = withUsage ? providers.withUsage : providers.withoutUsage;
    const cacheKey = `${withUsage} ${name}`;
    const model =
      cached.get(cacheKey) ??
      sdk.wrapLanguageModel({
        model: provider(name),
        middleware: sdk.extractReasoningMiddleware({ tagName: 'think' }),
      });
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(cacheKey, model);
    return { sdk, model };
  };
}
