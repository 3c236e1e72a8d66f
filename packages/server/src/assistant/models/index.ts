import { type Answerer, AnswerFailure, type AnswerPart, type Question } from '../answerer.ts';
import { askModel } from './ask-model.ts';
import { createModels, type ModelApi } from './models.ts';
import { ANSWER_LIMITS, type AnswerLimits } from './watch.ts';

export interface ModelAnswererOptions extends ModelApi {
  /** The model that answers where a bot names none; null: such questions are refused. */
  readonly name: string | null;
  /** Other limits than the usual ones. */
  readonly limits?: Partial<AnswerLimits>;
}

/**
 * Lets a model answer, through any API that speaks as OpenAI's does. What the model is told to do is what
 * `Question.instructions` says and how to cite; passages and facts are shown to it as data. It may look again
 * a few times, and cites by `[n]`: only numbers of passages that it was given become sources.
 *
 * A model that cannot use tools answers from the passages it is given.
 */
export function createModelAnswerer({ name, limits, ...api }: ModelAnswererOptions): Answerer {
  const all = { ...ANSWER_LIMITS, ...limits };
  const models = createModels(api, all.bytes);
  const withoutTools = new Set<string>();

  /** Asks with a search tool, and once more without it where that alone may have been refused. */
  async function* ask(model: string, question: Question): AsyncGenerator<AnswerPart> {
    const plain = { ...all, searches: 0 };
    if (withoutTools.has(model)) return yield* askModel(models, model, question, plain);
    let begun = false;
    try {
      for await (const part of askModel(models, model, question, all)) {
        begun = true;
        yield part;
      }
    } catch (error) {
      if (begun || all.searches === 0 || !mayBeForTools(error)) throw error;
      for await (const part of askModel(models, model, question, plain)) {
        withoutTools.add(model);
        yield part;
      }
    }
  }

  return {
    async *answer(question) {
      const model = question.model ?? name;
      if (model === null) throw new AnswerFailure('refused', 'no model is named');
      yield { kind: 'model', name: model };
      yield* ask(model, question);
    },
  };
}

/** Servers refuse tools that a model does not have with 400, 422 or 501, in words of their own. */
function mayBeForTools(error: unknown): boolean {
  return error instanceof AnswerFailure && /^HTTP (?:400|404|422|501)\b/.test(error.detail);
}
