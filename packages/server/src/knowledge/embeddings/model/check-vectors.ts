export type CheckedVectors =
  | { readonly ok: true; readonly vectors: readonly Float32Array<ArrayBuffer>[] }
  /** The words that follow "the embedding model". */
  | { readonly ok: false; readonly reason: string };

/** More than any model gives; a vector takes 1.3 bytes a dimension on disk. */
const MAX_DIMENSIONS = 8192;

/** Takes a model's answer for `count` texts, unless something about it is wrong: then none of it. */
export function checkVectors(
  embeddings: readonly (readonly number[])[],
  count: number,
): CheckedVectors {
  if (embeddings.length !== count)
    return wrong(`gave ${embeddings.length} vectors for ${count} texts`);
  const dimensions = embeddings[0]?.length ?? 0;
  if (dimensions === 0 || dimensions > MAX_DIMENSIONS)
    return wrong(`gave a vector of ${dimensions} dimensions`);
  if (embeddings.some(({ length }) => length !== dimensions))
    return wrong('gave vectors of different dimensions');
  const vectors = embeddings.map((embedding) => Float32Array.from(embedding));
  if (!vectors.every((vector) => vector.every(Number.isFinite)))
    return wrong('gave a vector with something that is no number');
  if (!vectors.every((vector) => vector.some((value) => value !== 0)))
    return wrong('gave a vector of zeros');
  return { ok: true, vectors };
}

function wrong(reason: string): CheckedVectors {
  return { ok: false, reason };
}
