/** Bytes of an identity; in memory a latin1 string of as many characters. */
export const KEY_BYTES = 16;

/** The n-th of the four 32-bit words of an identity, unsigned. */
export function word(key: string, n: number): number {
  const at = n * 4;
  return (
    ((key.charCodeAt(at) << 24) |
      (key.charCodeAt(at + 1) << 16) |
      (key.charCodeAt(at + 2) << 8) |
      key.charCodeAt(at + 3)) >>>
    0
  );
}

/** The first `bits` (0 to 32) of an identity. */
export function prefix(key: string, bits: number): number {
  return bits === 0 ? 0 : word(key, 0) >>> (32 - bits);
}

/** Identities side by side, as a block holds them. */
export function packKeys(keys: readonly string[]): Uint8Array {
  return Buffer.from(keys.join(''), 'latin1');
}

export function unpackKeys(block: Uint8Array): string[] {
  const text = Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString('latin1');
  return Array.from({ length: text.length / KEY_BYTES }, (_, index) =>
    text.slice(index * KEY_BYTES, (index + 1) * KEY_BYTES),
  );
}
