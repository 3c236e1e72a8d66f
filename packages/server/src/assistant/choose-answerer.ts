import type { Answerer } from './answerer.ts';
import { createExtractiveAnswerer } from './extractive/index.ts';
import { createModelAnswerer, type ModelDirectory, type OnFailover } from './models/index.ts';

/**
 * Creates the answerer of this installation. A model answers if the installation has models, the bot or the installation names
 * one, and the budget is not used up. Otherwise the answer quotes the documents. An API without a model name may be intended only
 * for embeddings.
 */
export function createAnswerer(
  models: ModelDirectory,
  onFailover: OnFailover = () => {},
): Answerer {
  const extractive = createExtractiveAnswerer();
  if (!models.hasModels) return extractive;
  const model = createModelAnswerer({ models, onFailover });
  const inPlaceOfModel = createExtractiveAnswerer({ replacesModel: true });
  return {
    answer(question) {
      if (models.name === null && question.model === null) return extractive.answer(question);
      return (question.isBudgetUsed ? inPlaceOfModel : model).answer(question);
    },
  };
}
