import type { Answerer } from './answerer.ts';
import { createExtractiveAnswerer } from './extractive/index.ts';
import { createModelAnswerer } from './models/index.ts';

export interface AnswererSettings {
  /** An API that speaks as OpenAI's does, without a slash at its end; null: no model is asked anything. */
  readonly url: string | null;
  readonly key: string | null;
  /** The model that answers where a bot names none. */
  readonly name: string | null;
}

/**
 * Who answers in this installation: a model where there is an API and a name for one, the bot's or the
 * installation's, else quotations of the documents. An API without a name may be there for embeddings alone.
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
