import { splitCitations } from '@gatehouse/contract/answer-text';
import { AnswerFailure, type AnswerPart } from '../answerer.ts';
import type { Usage } from './call-model.ts';
import type { GivenPassages } from './prompt.ts';
import type { RoundPart } from './rounds.ts';

/** Maximum shown reasoning in UTF-16 code units. */
const MAX_REASONING = 20_000;

export class Answer {
  readonly #given: GivenPassages;
  readonly #citations = new CitationReader();
  readonly #characters = new SurrogateJoiner();
  readonly #reasoning = new SurrogateJoiner();
  readonly #cited = new Set<number>();
  /** UTF-16 code units of reasoning that may still be shown. */
  #reasoningLeft: number;
  #remaining: number;
  #hasText = false;
  /** `true` if the next text starts a new message. */
  #startsMessage = false;
  #finish = '';

  constructor(given: GivenPassages, length: number, showsReasoning: boolean) {
    this.#reasoningLeft = showsReasoning ? MAX_REASONING : 0;
    this.#given = given;
    this.#remaining = length;
  }

  *take(part: RoundPart): Generator<AnswerPart> {
    switch (part.type) {
      case 'round-start':
        this.#startsMessage = this.#hasText;
        yield { kind: 'request' };
        return;
      case 'text':
        yield* this.#text(part.text);
        return;
      case 'reasoning':
        yield* this.#reason(part.text);
        return;
      case 'end': {
        const inputTokens = part.usage.inputTokens.total;
        const outputTokens = outputTokensOf(part.usage);
        this.#finish = part.finishReason;
        // Some servers report zero tokens instead of omitting the counts. A prompt is never empty.
        if (isCount(inputTokens) && isCount(outputTokens) && inputTokens > 0)
          yield { kind: 'usage', inputTokens, outputTokens };
        return;
      }
    }
  }

  /** Omits reasoning beyond the limit, because it must not make an answer fail. */
  *#reason(delta: string): Generator<AnswerPart> {
    if (this.#reasoningLeft === 0) return;
    const text = this.#reasoning.take(delta).slice(0, this.#reasoningLeft).toWellFormed();
    this.#reasoningLeft -= text.length;
    if (text !== '') yield { kind: 'reasoning', text };
  }

  *#text(delta: string): Generator<AnswerPart> {
    const complete = this.#characters.take(delta);
    if (complete === '') return;
    const spaced = this.#startsMessage ? `\n\n${complete}` : complete;
    this.#startsMessage = false;
    const text = spaced.slice(0, this.#remaining).toWellFormed();
    this.#remaining -= spaced.length;
    if (text !== '') yield { kind: 'text', text };
    this.#hasText ||= /\S/.test(text);
    for (const number of this.#citations.read(text)) {
      const passage = this.#given.get(number);
      if (passage === undefined || this.#cited.has(number)) continue;
      this.#cited.add(number);
      yield { kind: 'source', number, passage };
    }
    if (this.#remaining < 0) throw new AnswerFailure('too-long', 'over the text limit');
  }

  get citesNothing(): boolean {
    return this.#cited.size === 0;
  }

  /** @throws {AnswerFailure} if the answer is incomplete or empty. */
  end(): void {
    if (this.#finish === 'content_filter') throw new AnswerFailure('withheld', 'content filter');
    if (this.#finish === 'length')
      throw new AnswerFailure('too-long', 'over the output limit of the model');
    if (!this.#hasText) throw new AnswerFailure('garbage', 'no text');
  }
}

/** Some servers, such as Gemini, count the tokens of reasoning only in the total. They cost as much as other output. */
function outputTokensOf({ inputTokens, outputTokens, raw }: Usage): number | undefined {
  const input = inputTokens.total;
  const output = outputTokens.total;
  const total = raw?.['total_tokens'];
  return isCount(input) && isCount(output) && isCount(total)
    ? Math.max(output, total - input)
    : output;
}

/** Reports whether a token count is valid. Some servers omit the count or send an impossible one. */
function isCount(tokens: unknown): tokens is number {
  return Number.isSafeInteger(tokens) && Number(tokens) >= 0;
}

const HIGH_SURROGATE = /[\ud800-\udbff]$/;

/** Joins surrogate pairs that are split across two parts. Replaces unpaired surrogates and U+0000. */
class SurrogateJoiner {
  #half = '';

  /** Returns the complete text, which may be empty. */
  take(text: string): string {
    const all = this.#half + text;
    this.#half = HIGH_SURROGATE.exec(all)?.[0] ?? '';
    return all
      .slice(0, all.length - this.#half.length)
      .toWellFormed()
      .replaceAll('\0', '\ufffd');
  }
}

const LAST_OPENING = /[[【［][^\]】］]*$/;
/** Maximum length of an incomplete citation, in UTF-16 code units. */
const MAX_CITATION_LENGTH = 40;

/** Finds the passage numbers that an answer cites, even if a citation is split across parts. */
class CitationReader {
  #incomplete = '';

  /** Returns the numbers of the citations that end in this text, with duplicates. */
  read(text: string): number[] {
    const all = this.#incomplete + text;
    const opening = LAST_OPENING.exec(all)?.[0] ?? '';
    this.#incomplete = opening.length <= MAX_CITATION_LENGTH ? opening : '';
    return splitCitations(all).flatMap((part) => (typeof part === 'string' ? [] : part.numbers));
  }
}
