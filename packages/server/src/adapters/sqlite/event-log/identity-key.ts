/** Bytes of an identity. */
export const KEY_BYTES = 16;

/** In memory identities stand side by side in one array, each four of its 32-bit words. */
export const KEY_WORDS = 4;

/** The words of identities that stand side by side; a view where the bytes are aligned. */
export function toWords(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}

export function toBytes(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}

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
