import type { EmbeddedChunk } from '../ports/knowledge-engine.ts';
import { scaled, toBytes } from './quantise.ts';
import { sketchOf } from './sketches/sketch.ts';

/**
 * Number of passages per row of vectors. Rows start at multiples of this number, so vectors of a new model replace the
 * rows of the old model.
 */
export const PASSAGES_PER_ROW = 32;

/**
 * Returns the first missing row of a document's vectors, or null if the vectors are complete. `isLast` is true if no other
 * row is missing.
 *
 * @param passages number of passages of the document.
 * @param existing ascending first positions of the existing rows.
 */
export function firstMissing(
  passages: number,
  existing: readonly number[],
): { readonly first: number; readonly isLast: boolean } | null {
  const rows = Math.ceil(passages / PASSAGES_PER_ROW);
  const has = new Set(existing);
  for (let row = 0; row < rows; row++) {
    const first = row * PASSAGES_PER_ROW;
    if (!has.has(first)) return { first, isLast: has.size === rows - 1 };
  }
  return null;
}

export interface PackedChunk extends Omit<EmbeddedChunk, 'vectors'> {
  readonly dimensions: number;
  readonly sketches: Uint8Array;
  readonly bytes: Uint8Array;
}

export function pack({ vectors, ...chunk }: EmbeddedChunk): PackedChunk {
  return {
    ...chunk,
    dimensions: vectors[0]?.length ?? 0,
    sketches: concatenated(vectors.map((vector) => sketchOf(scaled(vector)))),
    bytes: concatenated(vectors.map((vector) => new Uint8Array(toBytes(vector).buffer))),
  };
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts[0]?.length ?? 0;
  const result = new Uint8Array(parts.length * length);
  for (const [index, part] of parts.entries()) result.set(part, index * length);
  return result;
}
