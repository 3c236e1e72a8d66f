import { AnswerFailure, type AnswerPart } from '../answerer.ts';
import { CitationReader } from './citations.ts';
import type { GivenPassages } from './passages.ts';
import type { RoundsPart } from './rounds.ts';
import { Thinking } from './thinking.ts';
import { WholeCharacters } from './whole-characters.ts';

/** What a model says, as parts of an answer. */
export class Answer {
  readonly #given: GivenPassages;
  readonly #citations = new CitationReader();
  #thinking = new Thinking();
  readonly #characters = new WholeCharacters();
  readonly #cited = new Set<number>();
  #left: number;
  #said = false;
  /** Whether what comes next belongs to another message than what was said so far. */
  #newMessage = false;
  #finish = '';

  constructor(given: GivenPassages, length: number) {
    this.#given = given;
    this.#left = length;
  }

  *take(part: RoundsPart): Generator<AnswerPart> {
    switch (part.type) {
      case 'round':
        this.#newMessage = this.#said;
        this.#thinking = new Thinking();
        return;
      case 'text-delta':
        yield* this.#text(this.#thinking.read(part.delta));
        return;
      case 'finish': {
        yield* this.#text(this.#thinking.end());
        const { usage, finishReason } = part;
        const [inputTokens, outputTokens] = [usage.inputTokens.total, usage.outputTokens.total];
        this.#finish = finishReason.raw ?? finishReason.unified;
        if (isCount(inputTokens) && isCount(outputTokens))
          yield { kind: 'usage', inputTokens, outputTokens };
        return;
      }
      case 'error':
        throw part.error;
    }
  }

  *#text(delta: string): Generator<AnswerPart> {
    const whole = this.#characters.take(delta);
    if (whole === '') return;
    const spaced = this.#newMessage ? `\n\n${whole}` : whole;
    this.#newMessage = false;
    const text = spaced.slice(0, this.#left).toWellFormed();
    this.#left -= spaced.length;
    if (text !== '') yield { kind: 'text', text };
    this.#said ||= /\S/.test(text);
    for (const number of this.#citations.read(text)) {
      const passage = this.#given.get(number);
      if (passage === undefined || this.#cited.has(number)) continue;
      this.#cited.add(number);
      yield { kind: 'source', number, passage };
    }
    if (this.#left < 0) throw new AnswerFailure('too-long', 'more text than allowed');
  }

  /** Throws when what was said is not a whole answer. */
  end(): void {
    if (this.#finish === 'content_filter') throw new AnswerFailure('withheld', 'content filter');
    if (this.#finish === 'length') throw new AnswerFailure('too-long', 'limit of the model');
    if (!this.#said) throw new AnswerFailure('garbage', 'no text');
  }
}

/** Some servers say nothing, or what cannot be. */
function isCount(tokens: number | undefined): tokens is number {
  return Number.isSafeInteger(tokens) && Number(tokens) >= 0;
}
