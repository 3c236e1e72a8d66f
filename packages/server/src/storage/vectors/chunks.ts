import type { EmbeddedChunk } from '../ports/knowledge-engine.ts';
import { scaled, toBytes } from './quantise.ts';
import { sketchOf } from './sketch.ts';

/** Passages of a row of vectors. Rows start at multiples of it, so that a row of another model is replaced. */
export const PASSAGES_PER_ROW = 32;

/**
 * The rows that a document lacks: the position of the first, and whether it is the only one. Null when
 * it lacks none.
 *
 * @param there the positions at which rows begin, in order.
 */
export function firstMissing(
  passages: number,
  there: readonly number[],
): { readonly first: number; readonly isLast: boolean } | null {
  const rows = Math.ceil(passages / PASSAGES_PER_ROW);
  const has = new Set(there);
  for (let row = 0; row < rows; row++) {
    const first = row * PASSAGES_PER_ROW;
    if (!has.has(first)) return { first, isLast: has.size === rows - 1 };
  }
  return null;
}

/** A chunk with its vectors as they are stored, concatenated. */
export interface PackedChunk extends Omit<EmbeddedChunk, 'vectors'> {
  readonly dimensions: number;
  readonly sketches: Uint8Array;
  readonly bytes: Uint8Array;
}

export function pack({ vectors, ...chunk }: EmbeddedChunk): PackedChunk {
  return {
    ...chunk,
    dimensions: vectors[0]?.length ?? 0,
    sketches: joined(vectors.map((vector) => sketchOf(scaled(vector)))),
    bytes: joined(vectors.map((vector) => new Uint8Array(toBytes(vector).buffer))),
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts[0]?.length ?? 0;
  const whole = new Uint8Array(parts.length * length);
  for (const [index, part] of parts.entries()) whole.set(part, index * length);
  return whole;
}
