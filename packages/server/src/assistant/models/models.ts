import { Pace } from './pace.ts';
import type { Wire } from './wire.ts';

type Sdk = typeof import('@ai-sdk/openai-compatible');
type Provider = ReturnType<Sdk['createOpenAICompatible']>;

/** A model as the AI SDK gives access to it. */
export type Model = ReturnType<Provider['chatModel']>;
type Request = Parameters<Model['doStream']>[0];
export type Messages = Request['prompt'];
export type Message = Messages[number];
export type Tool = NonNullable<Request['tools']>[number];

type Stream = Awaited<ReturnType<Model['doStream']>>['stream'];
/** What a model says, in parts. */
export type ModelPart = Stream extends ReadableStream<infer P> ? P : never;

/** An API that speaks as OpenAI's does (`POST {url}/chat/completions`). */
export interface ModelApi {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | null;
}

export interface Models {
  /** Of all their answers together. */
  readonly pace: Pace;
  /** The model called `name`, whose requests with this signal go over that wire. */
  over(wire: Wire, signal: AbortSignal, name: string): Promise<Model>;
}

/** Beyond it those that were made first are made again. */
const MOST_KEPT = 100;

/**
 * The models of an API. The SDK is loaded when one is first needed, so that an installation without a model
 * never pays for it. Each is made once: that takes the SDK half a millisecond, and 100 kB while it is used.
 */
export function createModels({ url, key }: ModelApi): Models {
  const wires = new WeakMap<AbortSignal, Wire>();
  const made = new Map<string, Model>();
  let provider: Promise<Provider> | null = null;

  async function load(): Promise<Provider> {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({
      name: 'model',
      baseURL: url,
      ...(key === null ? {} : { apiKey: key }),
      fetch: (input, init) => {
        const wire = init?.signal && wires.get(init.signal);
        if (!wire) throw new Error('a request of no answer');
        return wire.fetch(input, init);
      },
      includeUsage: true,
    });
  }

  return {
    pace: new Pace(),

    async over(wire, signal, name) {
      wires.set(signal, wire);
      provider ??= load();
      const { chatModel } = await provider;
      const model = made.get(name) ?? chatModel(name);
      made.set(name, model);
      const oldest = made.keys().next();
      if (made.size > MOST_KEPT && !oldest.done) made.delete(oldest.value);
      return model;
    },
  };
}
