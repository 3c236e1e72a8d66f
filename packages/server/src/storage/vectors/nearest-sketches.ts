import { similarity, similarityTables, sketchLength } from './sketch.ts';
import { TopK } from './top-k.ts';

export interface Near {
  readonly number: number;
  readonly position: number;
  readonly score: number;
}

/** Concatenated sketches of consecutive passages, with the document number and the position of the first passage. */
export type SketchRow = readonly [number: number, first: number, sketches: Uint8Array];

/** Number of candidates per requested result. Candidates are selected by sketch and then compared by vector. */
export const CANDIDATES = 8;

export class NearestSketches {
  readonly #tables: Float32Array;
  readonly #length: number;
  readonly #nearest: TopK<Near>;

  /**
   * @param query vector with values between -1 and 1.
   * @param count maximum number of results.
   */
  constructor(query: Float32Array, count: number) {
    this.#tables = similarityTables(query);
    this.#length = sketchLength(query.length);
    this.#nearest = new TopK(count);
  }

  add([number, first, sketches]: SketchRow): void {
    const length = this.#length;
    const nearest = this.#nearest;
    for (let at = 0; at * length < sketches.length; at++) {
      const score = similarity(this.#tables, sketches, at * length, length);
      if (nearest.accepts(score)) nearest.add({ number, position: first + at, score });
    }
  }

  sorted(): Near[] {
    return this.#nearest.sorted();
  }
}
