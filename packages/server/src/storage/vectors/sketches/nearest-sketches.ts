import { type Near, nearestPassages } from '../near.ts';
import type { TopK } from '../top-k.ts';
import { type Comparison, createComparison, REGISTER } from './comparison.ts';
import { PLANES, queryPlanes, sketchLength } from './sketch.ts';

/** Number of candidates per requested result. Candidates are selected by sketch and then compared by vector. */
export const CANDIDATES = 8;

/** Consecutive passages of a document and their sketches, which are a range of `bytes`. */
export interface SketchRow {
  readonly number: number;
  /** Position of the first passage. */
  readonly first: number;
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly end: number;
}

/** Number of sketches that are compared together. */
const BATCH = 512;

/** One comparison per length of sketches. Creating a comparison compiles code. */
const comparisons = new Map<number, Comparison>();

function comparisonOf(length: number): Comparison {
  const comparison = comparisons.get(length) ?? createComparison(length, BATCH);
  comparisons.set(length, comparison);
  return comparison;
}

/**
 * Finds the passages whose sketches are most similar to a query. Only one instance per thread may be in use, because all instances share
 * the memory of the comparison.
 */
export class NearestSketches {
  readonly #comparison: Comparison;
  readonly #nearest: TopK<Near>;
  readonly #length: number;
  /** Bytes per sketch in the memory of the comparison. */
  readonly #stride: number;
  /** Rows of the current batch. */
  readonly #rows: SketchRow[] = [];
  #count = 0;

  /**
   * @param query vector with values between -1 and 1.
   * @param count maximum number of results.
   */
  constructor(query: Float32Array, count: number) {
    this.#length = sketchLength(query.length);
    this.#stride = Math.max(this.#length, REGISTER);
    this.#comparison = comparisonOf(this.#stride);
    this.#nearest = nearestPassages(count);
    const planes = queryPlanes(query);
    this.#comparison.planes.fill(0);
    for (let plane = 0; plane < PLANES; plane++)
      this.#comparison.planes.set(
        planes.subarray(plane * this.#length, (plane + 1) * this.#length),
        plane * this.#stride,
      );
  }

  add(row: SketchRow): void {
    const count = (row.end - row.from) / this.#length;
    if (this.#count + count > BATCH) this.#flush();
    this.#rows.push(row);
    this.#count += count;
  }

  sorted(): Near[] {
    this.#flush();
    return this.#nearest.sorted();
  }

  #flush(): void {
    this.#copy();
    const { scores, run } = this.#comparison;
    run(this.#count);
    const nearest = this.#nearest;
    let at = 0;
    for (const { number, first, from, end } of this.#rows) {
      const count = (end - from) / this.#length;
      for (let index = 0; index < count; index++) {
        const score = scores[at + index] ?? 0;
        if (nearest.accepts(score)) nearest.add({ number, position: first + index, score });
      }
      at += count;
    }
    this.#rows.length = 0;
    this.#count = 0;
  }

  /** Copies the rows of the batch. Copies adjacent rows together. */
  #copy(): void {
    const rows = this.#rows;
    let to = 0;
    for (let index = 0; index < rows.length; ) {
      const { bytes, from, end } = rows[index++] as SketchRow;
      let last = end;
      for (; index < rows.length; index++) {
        const next = rows[index] as SketchRow;
        if (next.bytes !== bytes || next.from !== last) break;
        last = next.end;
      }
      to = this.#copyRange(bytes, from, last, to);
    }
  }

  #copyRange(bytes: Uint8Array, from: number, end: number, to: number): number {
    const { sketches } = this.#comparison;
    if (this.#stride === this.#length) {
      sketches.set(bytes.subarray(from, end), to);
      return to + end - from;
    }
    let next = to;
    for (let at = from; at < end; at += this.#length) {
      sketches.fill(0, next, next + this.#stride);
      sketches.set(bytes.subarray(at, at + this.#length), next);
      next += this.#stride;
    }
    return next;
  }
}
