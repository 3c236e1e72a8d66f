import type { Source } from './source.rules.ts';

/** What an answer consists of while it comes, such that whatever stops it, what was shown can be kept. */
export class AnswerSoFar {
  text = '';
  readonly sources: Source[] = [];
  #inputTokens: number | null = null;
  #outputTokens: number | null = null;

  /** Tokens that were taken, in addition to those before. */
  addUsage(input: number, output: number): void {
    this.#inputTokens = (this.#inputTokens ?? 0) + input;
    this.#outputTokens = (this.#outputTokens ?? 0) + output;
  }

  /** Null where no model said what it took. */
  get inputTokens(): number | null {
    return this.#inputTokens;
  }

  get outputTokens(): number | null {
    return this.#outputTokens;
  }

  /** Whether the client has seen anything of it. */
  get isShown(): boolean {
    return this.text !== '' || this.sources.length > 0;
  }
}
