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

/**
 * Returns lookup tables for `similarity`: for each byte of a sketch, the contributions of its 256 values. Comparing a
 * sketch then takes one addition per byte.
 *
 * @param query values between -1 and 1.
 */
export function similarityTables(query: Float32Array): Float32Array {
  const rotated = rotate(query);
  const tables = new Float32Array(rotated.length * 32);
  for (let byte = 0; byte < rotated.length / 8; byte++)
    for (let bits = 0; bits < 256; bits++) {
      let sum = 0;
      for (let bit = 0; bit < 8; bit++) {
        const value = rotated[byte * 8 + bit] ?? 0;
        sum += (bits >> bit) & 1 ? value : -value;
      }
      tables[byte * 256 + bits] = sum;
    }
  return tables;
}

export function similarity(
  tables: Float32Array,
  sketches: Uint8Array,
  from: number,
  length: number,
): number {
  let sum = 0;
  for (let at = 0; at < length; at++) sum += tables[(at << 8) | (sketches[from + at] ?? 0)] ?? 0;
  return sum;
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
