import type { Source } from '../conversations/source.rules.ts';

/** What an answer consists of while it comes, such that whatever stops it, what was shown can be kept. */
export class AnswerSoFar {
  text = '';
  readonly sources: Source[] = [];
  /** The model that makes it; null while none does. */
  model: string | null = null;
  #inputTokens: number | null = null;
  #outputTokens: number | null = null;
  #cost: number | null = null;

  /**
   * Tokens that were taken, in addition to those before.
   *
   * @param cost of them, in millionths; null where there are no prices.
   */
  addUsage(input: number, output: number, cost: number | null): void {
    this.#inputTokens = (this.#inputTokens ?? 0) + input;
    this.#outputTokens = (this.#outputTokens ?? 0) + output;
    if (cost !== null) this.#cost = (this.#cost ?? 0) + cost;
  }

  /** Null where no model said what it took. */
  get inputTokens(): number | null {
    return this.#inputTokens;
  }

  get outputTokens(): number | null {
    return this.#outputTokens;
  }

  /** Whole millionths; null where there are no prices, or no model said what it took. */
  get costMillionths(): number | null {
    return this.#cost === null ? null : Math.round(this.#cost);
  }

  /** Whether the client has seen anything of it. */
  get isShown(): boolean {
    return this.text !== '' || this.sources.length > 0;
  }
}
