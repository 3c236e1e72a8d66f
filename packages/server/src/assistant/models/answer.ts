import { AnswerFailure, type AnswerPart } from '../answerer.ts';
import type { ModelPart } from './models.ts';
import type { GivenPassages } from './prompt.ts';

/** Converts the SDK's stream to the parts of an answer. */
export class Answer {
  readonly #given: GivenPassages;
  readonly #citations = new CitationReader();
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

  *take(part: ModelPart): Generator<AnswerPart> {
    switch (part.type) {
      case 'start-step':
        this.#newMessage = this.#said;
        return;
      case 'text-delta':
        yield* this.#text(part.text);
        return;
      case 'finish-step': {
        const { inputTokens, outputTokens } = part.usage;
        this.#finish = part.rawFinishReason ?? part.finishReason;
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

/** Reports whether a count of tokens is present and possible; some servers send neither. */
function isCount(tokens: number | undefined): tokens is number {
  return Number.isSafeInteger(tokens) && Number(tokens) >= 0;
}

const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** Joins surrogate pairs that a server split across two parts, and replaces what is not text. */
class WholeCharacters {
  #half = '';

  /** Returns the text that is complete; may be empty. */
  take(text: string): string {
    const all = this.#half + text;
    this.#half = HIGH_SURROGATE.exec(all)?.[0] ?? '';
    return all
      .slice(0, all.length - this.#half.length)
      .toWellFormed()
      .replaceAll('\0', '\ufffd');
  }
}

/** `[1]`, `[1, 2]`, `[1-3]`, and the brackets that models put around them in Chinese and Japanese. */
const CITATION = /[[【［](\d{1,3}(?:\s*[,;、，–-]\s*\d{1,3})*)[\]】］]/g;
const RANGE = /(\d+)\s*[–-]\s*(\d+)/g;
const LAST_OPENING = /[[【［][^\]】］]*$/;
/** More letters behind a bracket are no citation that is still unfinished. */
const LONGEST = 40;
const LONGEST_RANGE = 20;

/** Finds the numbers that an answer cites, however its text is parted. */
class CitationReader {
  #unfinished = '';

  /** The numbers cited up to the end of this text, each as often as it is. */
  read(text: string): number[] {
    const all = this.#unfinished + text;
    const opening = LAST_OPENING.exec(all)?.[0] ?? '';
    this.#unfinished = opening.length <= LONGEST ? opening : '';
    return Array.from(all.matchAll(CITATION), ([, cited]) => numbersIn(cited as string)).flat();
  }
}

function numbersIn(cited: string): number[] {
  const numbers = (cited.match(/\d+/g) ?? []).map(Number);
  for (const [, first, last] of cited.matchAll(RANGE)) {
    const end = Math.min(Number(last), Number(first) + LONGEST_RANGE);
    for (let number = Number(first) + 1; number < end; number++) numbers.push(number);
  }
  return numbers.sort((a, b) => a - b);
}
