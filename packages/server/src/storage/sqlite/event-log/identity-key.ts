/** Bytes of an identity. */
export const KEY_BYTES = 16;

/** In memory identities stand side by side in one array, each four of its 32-bit words. */
export const KEY_WORDS = 4;

/** The number of the block, of 2 ** `bits` (0 to 31), that the identity at `at` belongs to. */
export function blockOf(words: Uint32Array, at: number, bits: number): number {
  return bits === 0 ? 0 : (words[at] ?? 0) >>> (32 - bits);
}

/** Whether the identities at these places are the same. */
export function sameKey(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  return (
    a[atA] === b[atB] &&
    a[atA + 1] === b[atB + 1] &&
    a[atA + 2] === b[atB + 2] &&
    a[atA + 3] === b[atB + 3]
  );
}
