import type { Answerer } from './answerer.ts';
import { createExtractiveAnswerer } from './extractive/index.ts';
import { createModelAnswerer, type ModelDirectory, type OnFailover } from './models/index.ts';

/**
 * Creates the answerer of this installation. A model answers if the installation has models, and the bot or the installation
 * names one. Otherwise the answer quotes the documents. An API without a model name may be intended only for embeddings.
 */
export function createAnswerer(
  models: ModelDirectory,
  onFailover: OnFailover = () => {},
): Answerer {
  const extractive = createExtractiveAnswerer();
  if (!models.hasModels) return extractive;
  const model = createModelAnswerer({ models, onFailover });
  if (models.name !== null) return model;
  return {
    answer: (question) => (question.model === null ? extractive : model).answer(question),
  };
}
