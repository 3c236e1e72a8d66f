import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { loadOnce } from '../../lib/caching/index.ts';
import { createModelFetch } from './model-fetch.ts';
import { Pace } from './pace.ts';

/** A model of the SDK. */
export type ChatModel = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>;

/** An API that is compatible with OpenAI's (`POST {url}/chat/completions`). */
export interface ModelApi {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key: string | null;
}

/** Returns a model. `withUsage`: requests the token counts with `stream_options`, which some servers reject. */
export type Models = (name: string, withUsage: boolean) => Promise<ChatModel>;

/** Maximum number of cached models. Creating a model takes half a millisecond and 100 kB. */
const MAX_CACHED = 100;

/**
 * Returns the models of an API. The SDK is loaded for the first answer, so an installation without a model never loads the SDK.
 *
 * @param maxBytes maximum size of one response.
 */
export function createModels({ url, key }: ModelApi, maxBytes: number): Models {
  const cached = new Map<string, ChatModel>();

  async function load() {
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
    return { withUsage: create(true), withoutUsage: create(false) };
  }

  const loadedProviders = loadOnce(load);
  return async (name, withUsage) => {
    const providers = await loadedProviders();
    const provider = withUsage ? providers.withUsage : providers.withoutUsage;
    const cacheKey = `${withUsage} ${name}`;
    const model = cached.get(cacheKey) ?? provider.chatModel(name);
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(cacheKey, model);
    return model;
  };
}
