/*
 * A sketch holds a bit a dimension, the sign, after the vector was turned at random. Turned, what a vector
 * says is spread over all of its dimensions, whatever the model does with them, so that the signs alone
 * tell nearly as much as the numbers (RaBitQ, https://arxiv.org/abs/2405.12497, without its correction).
 */

/** The bytes of a sketch of a vector with this many dimensions. */
export function sketchLength(dimensions: number): number {
  return Math.max(8, 2 ** Math.ceil(Math.log2(dimensions))) / 8;
}

/** The sketch of a vector, whose numbers must lie between -1 and 1. */
export function sketchOf(vector: Float32Array): Uint8Array {
  const turned = turn(vector);
  const sketch = new Uint8Array(turned.length / 8);
  for (let at = 0; at < turned.length; at++)
    if ((turned[at] ?? 0) > 0) sketch[at >> 3] = (sketch[at >> 3] ?? 0) | (1 << (at & 7));
  return sketch;
}

/**
 * What each byte of a sketch contributes to its similarity to a query: 256 numbers a byte, so that a
 * sketch is compared in as many steps as it has bytes.
 *
 * @param query its numbers must lie between -1 and 1.
 */
export function similarityTables(query: Float32Array): Float32Array {
  const turned = turn(query);
  const tables = new Float32Array(turned.length * 32);
  for (let byte = 0; byte < turned.length / 8; byte++)
    for (let bits = 0; bits < 256; bits++) {
      let sum = 0;
      for (let bit = 0; bit < 8; bit++) {
        const value = turned[byte * 8 + bit] ?? 0;
        sum += (bits >> bit) & 1 ? value : -value;
      }
      tables[byte * 256 + bits] = sum;
    }
  return tables;
}

/** Returns the similarity of a sketch: the higher, the nearer. */
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

/** The same turn for every vector: signs flipped by a fixed series, then a Walsh-Hadamard transform. */
function turn(vector: Float32Array): Float32Array {
  const turned = new Float32Array(sketchLength(vector.length) * 8);
  turned.set(vector);
  let random = 0x2545f491;
  for (let at = 0; at < turned.length; at++) {
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    if (random < 0) turned[at] = -(turned[at] ?? 0);
  }
  for (let half = 1; half < turned.length; half *= 2)
    for (let block = 0; block < turned.length; block += half * 2)
      for (let at = block; at < block + half; at++) {
        const [a, b] = [turned[at] ?? 0, turned[at + half] ?? 0];
        turned[at] = a + b;
        turned[at + half] = a - b;
      }
  return turned;
}
