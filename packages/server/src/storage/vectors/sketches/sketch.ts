/*
 * A sketch is one bit per dimension: the signs of a vector after a random rotation. The rotation spreads the information
 * evenly over all dimensions, so the signs alone rank vectors almost as well as the values. See RaBitQ,
 * https://arxiv.org/abs/2405.12497; this implementation omits the correction.
 */

export function sketchLength(dimensions: number): number {
  return Math.max(8, 2 ** Math.ceil(Math.log2(dimensions))) / 8;
}

export function sketchOf(vector: Float32Array): Uint8Array {
  const rotated = rotate(vector);
  const sketch = new Uint8Array(rotated.length / 8);
  for (let at = 0; at < rotated.length; at++)
    if ((rotated[at] ?? 0) > 0) sketch[at >> 3] = (sketch[at >> 3] ?? 0) | (1 << (at & 7));
  return sketch;
}

/** Number of bits per dimension of a query. */
export const PLANES = 4;
const MAX_LEVEL = 2 ** (PLANES - 1) - 1;

/**
 * Returns the rotated query with one integer from -7 to 7 per dimension, as bit planes: plane p contains bit p of each integer in two's
 * complement and is as long as a sketch. The similarity to a sketch is the sum of the integers in the dimensions whose bit is set in the
 * sketch. It ranks sketches like the dot product with their signs, because the sum of all integers is the same for all sketches.
 *
 * @param query values between -1 and 1.
 */
export function queryPlanes(query: Float32Array): Uint8Array {
  const rotated = rotate(query);
  const length = rotated.length / 8;
  const largest = rotated.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const planes = new Uint8Array(PLANES * length);
  for (const [at, value] of rotated.entries()) {
    const level = largest === 0 ? 0 : Math.round((value / largest) * MAX_LEVEL);
    for (let plane = 0; plane < PLANES; plane++) {
      const byte = plane * length + (at >> 3);
      planes[byte] = (planes[byte] ?? 0) | (((level >> plane) & 1) << (at & 7));
    }
  }
  return planes;
}

/** Applies a fixed pseudorandom rotation: random sign flips, then a Walsh-Hadamard transform. */
function rotate(vector: Float32Array): Float32Array {
  const rotated = new Float32Array(sketchLength(vector.length) * 8);
  rotated.set(vector);
  let random = 0x2545f491;
  for (let at = 0; at < rotated.length; at++) {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    if (random < 0) rotated[at] = -(rotated[at] ?? 0);
  }
  for (let half = 1; half < rotated.length; half *= 2)
    for (let block = 0; block < rotated.length; block += half * 2)
      for (let at = block; at < block + half; at++) {
        const [a, b] = [rotated[at] ?? 0, rotated[at + half] ?? 0];
        rotated[at] = a + b;
        rotated[at + half] = a - b;
      }
  return rotated;
}
