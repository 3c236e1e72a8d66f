/** Quantises a vector to one signed byte per dimension. Keeps the direction, but not the length. */
export function toBytes(vector: Float32Array): Int8Array {
  const factor = 127 / largest(vector);
  return Int8Array.from(vector, (value) => Math.round(value * factor));
}

/** Scales a vector to values between -1 and 1, so that sums of its values neither overflow nor underflow. */
export function scaled(vector: Float32Array): Float32Array {
  const max = largest(vector);
  return vector.map((value) => value / max);
}

/**
 * Returns the cosine similarity of a query and a quantised vector, multiplied by the length of `query`.
 *
 * @param from index of the vector's first byte.
 */
export function cosineScore(query: Float32Array, bytes: Int8Array, from: number): number {
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
  return vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
}
