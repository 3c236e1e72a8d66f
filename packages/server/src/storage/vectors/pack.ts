import type { EmbeddedChunk } from '../ports/knowledge-engine.ts';
import { scaled, toBytes } from './quantise.ts';
import { sketchOf } from './sketch.ts';

/** A piece with its vectors as they are kept, one behind the other. */
export interface PackedPiece extends Omit<EmbeddedChunk, 'vectors'> {
  readonly dimensions: number;
  readonly sketches: Uint8Array;
  readonly bytes: Uint8Array;
}

export function pack({ vectors, ...piece }: EmbeddedChunk): PackedPiece {
  return {
    ...piece,
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
