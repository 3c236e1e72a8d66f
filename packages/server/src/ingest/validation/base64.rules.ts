const SYMBOLS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const NONE = 255;
const VALUES = new Uint8Array(128).fill(NONE);
for (let value = 0; value < SYMBOLS.length; value++) VALUES[SYMBOLS.charCodeAt(value)] = value;

/**
 * What is wrong with Base64 (RFC 4648, section 4): its alphabet alone, padded with "=", the unused
 * bits zero, no line breaks. Null when nothing is; the empty string stands for no bytes.
 */
export function base64Fault(value: string): string | null {
  if (value.length % 4 !== 0) return 'must be Base64, in groups of four characters padded with "="';
  const padding = value.endsWith('==') ? 2 : Number(value.endsWith('='));
  const end = value.length - padding;
  let last = 0;
  for (let at = 0; at < end; at++) {
    last = VALUES[value.charCodeAt(at)] ?? NONE;
    if (last === NONE)
      return `must be Base64 (A-Z, a-z, 0-9, "+", "/"), but is not at position ${at}`;
  }
  // One "=" leaves two bits of the last character unused, two leave four.
  const unused = padding === 0 ? 0 : padding === 1 ? 0b11 : 0b1111;
  return (last & unused) === 0 ? null : 'must be Base64 whose last character has no bits to spare';
}
