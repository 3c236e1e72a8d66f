import type { Answerer } from './answerer.ts';
import { createExtractiveAnswerer } from './extractive/index.ts';
import { createModelAnswerer } from './models/index.ts';

export interface AnswererSettings {
  /** Base URL of an OpenAI-compatible API, without a trailing slash. `null`: no model is used. */
  readonly url: string | null;
  readonly key: string | null;
  readonly name: string | null;
}

/**
 * Creates the answerer of this installation. A model answers if the installation has an API, and the bot or the installation
 * names a model. Otherwise the answer quotes the documents. An API without a model name can be configured for embeddings only.
 */
export function createAnswerer({ url, key, name }: AnswererSettings): Answerer {
  const extractive = createExtractiveAnswerer();
  if (url === null) return extractive;
  const model = createModelAnswerer({ url, key, name });
  if (name !== null) return model;
  return {
    answer: (question) => (question.model === null ? extractive : model).answer(question),
  };
}
