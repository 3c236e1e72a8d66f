import type { SourcePassage } from '../answerer.ts';

/** The passages that a model was given, numbered from 1 in the order in which it got them. */
export class GivenPassages {
  readonly #numbers = new Map<string, number>();
  readonly #passages: SourcePassage[] = [];

  /** The number of a passage, the one it has already if it was given before. */
  give(passage: SourcePassage): number {
    const key = `${passage.position} ${passage.documentId}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#passages.push(passage);
    this.#numbers.set(key, number);
    return number;
  }

  /** The passage with that number, undefined when none was given. */
  get(number: number): SourcePassage | undefined {
    return this.#passages[number - 1];
  }
}
