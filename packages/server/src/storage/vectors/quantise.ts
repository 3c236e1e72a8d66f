/** A vector in one byte a dimension. Its length is lost, which a comparison of directions does not need. */
export function toBytes(vector: Float32Array): Int8Array {
  const factor = 127 / largest(vector);
  return Int8Array.from(vector, (value) => Math.round(value * factor));
}

/** The same direction with numbers from -1 to 1, so that no sum over them is too large or too small. */
export function scaled(vector: Float32Array): Float32Array {
  const most = largest(vector);
  return vector.map((value) => value / most);
}

/**
 * How near a vector of bytes is to another by its direction: their cosine times the length of `query`.
 *
 * @param from the index of the vector's first byte.
 */
export function nearness(query: Float32Array, bytes: Int8Array, from: number): number {
  let product = 0;
  let squares = 0;
  for (let at = 0; at < query.length; at++) {
    const byte = bytes[from + at] ?? 0;
    product += (query[at] ?? 0) * byte;
    squares += byte * byte;
  }
  return squares === 0 ? 0 : product / Math.sqrt(squares);
}

function largest(vector: Float32Array): number {
  return vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}
