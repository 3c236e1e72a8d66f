import { randomBytes } from 'node:crypto';
import { AnswerFailure, type AnswerPart, type Question } from '../answerer.ts';
import { Answer } from './answer.ts';
import { failureOf } from './failure.ts';
import type { AnswerLimits } from './limits.ts';
import type { Model, Models } from './models.ts';
import { GivenPassages } from './passages.ts';
import { promptOf } from './prompt.ts';
import { type RoundsOptions, type RoundsPart, rounds } from './rounds.ts';
import { searchTool } from './search-tool.ts';
import { Watch } from './watch.ts';
import { createWire } from './wire.ts';

/** Asks the model called `name`, with or without a search tool. Fails as `Answerer` says. */
export async function* askModel(
  models: Models,
  name: string,
  question: Question,
  limits: AnswerLimits,
): AsyncGenerator<AnswerPart> {
  question.signal.throwIfAborted();
  using watch = new Watch(question.signal, limits);
  const wire = createWire(limits.bytes, models.pace);
  const given = new GivenPassages();
  const answer = new Answer(given, limits.text);
  try {
    const model = await watch.until(models.over(wire, watch.signal, name));
    const parts = rounds(roundsOptions(model, question, given, limits.searches, watch.signal));
    for (;;) {
      const { done, value } = await watch.until(parts.next());
      if (done) break;
      if (value.type === 'round') watch.begins();
      else if (SAYS_SOMETHING.has(value.type)) watch.goesOn();
      yield* answer.take(value);
    }
    answer.end();
  } catch (error) {
    if (question.signal.aborted) throw question.signal.reason;
    const { aborted, reason } = watch.signal;
    throw aborted && reason instanceof AnswerFailure
      ? reason
      : (wire.failure() ?? failureOf(error));
  }
}

const SAYS_SOMETHING: ReadonlySet<RoundsPart['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-start',
  'tool-input-delta',
  'tool-call',
  'searched',
]);

function roundsOptions(
  model: Model,
  question: Question,
  given: GivenPassages,
  searches: number,
  signal: AbortSignal,
): RoundsOptions {
  const marker = `data-${randomBytes(8).toString('hex')}`;
  return {
    model,
    messages: promptOf(question, given, marker, searches > 0),
    search: searchTool(question, given, marker, searches),
    searches,
    signal,
  };
}
