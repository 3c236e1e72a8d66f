import { Best } from './best.ts';
import { likeness, likenessTables, sketchLength } from './sketch.ts';

/** A passage and how near it is to a query. */
export interface Near {
  /** Of the document. */
  readonly number: number;
  readonly position: number;
  /** The higher, the nearer. */
  readonly score: number;
}

/** Sketches of passages that follow each other, and where the first one stands. */
export type SketchRow = readonly [number: number, first: number, sketches: Uint8Array];

/** Of those that the sketches tell to be the nearest, this many times as many as are wanted are compared exactly. */
export const CANDIDATES = 8;

/** The passages whose sketches are most like a query's vector. */
export class Alike {
  readonly #tables: Float32Array;
  readonly #length: number;
  readonly #best: Best<Near>;

  /**
   * @param query its numbers must lie between -1 and 1.
   * @param count how many are kept.
   */
  constructor(query: Float32Array, count: number) {
    this.#tables = likenessTables(query);
    this.#length = sketchLength(query.length);
    this.#best = new Best(count);
  }

  look([number, first, sketches]: SketchRow): void {
    const length = this.#length;
    const best = this.#best;
    for (let at = 0; at * length < sketches.length; at++) {
      const score = likeness(this.#tables, sketches, at * length, length);
      if (best.takes(score)) best.add({ number, position: first + at, score });
    }
  }

  /** Best first. */
  inOrder(): Near[] {
    return this.#best.inOrder();
  }
}
