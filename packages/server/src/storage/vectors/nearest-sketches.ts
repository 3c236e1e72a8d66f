import { similarity, similarityTables, sketchLength } from './sketch.ts';
import { TopK } from './top-k.ts';

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

/** Finds the passages whose sketches are most similar to a query's vector. */
export class NearestSketches {
  readonly #tables: Float32Array;
  readonly #length: number;
  readonly #nearest: TopK<Near>;

  /**
   * @param query its numbers must lie between -1 and 1.
   * @param count the number of passages to keep.
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

  /** TopK first. */
  sorted(): Near[] {
    return this.#nearest.sorted();
  }
}
