import { blockOf, KEY_WORDS } from './identity-key.ts';

/**
 * Parts identities by the last `bits` bits of their block number among 2 ** `blockBits`; gives one
 * array a part, in order. The parts are views of one new array.
 */
export function partition(words: Uint32Array, blockBits: number, bits: number): Uint32Array[] {
  const mask = 2 ** bits - 1;
  const starts = new Uint32Array(mask + 2);
  for (let at = 0; at < words.length; at += KEY_WORDS) {
    const part = blockOf(words, at, blockBits) & mask;
    starts[part + 1] = (starts[part + 1] ?? 0) + KEY_WORDS;
  }
  for (let part = 1; part < starts.length; part += 1)
    starts[part] = (starts[part] ?? 0) + (starts[part - 1] ?? 0);
  const sorted = new Uint32Array(words.length);
  const next = starts.slice();
  for (let at = 0; at < words.length; at += KEY_WORDS) {
    const part = blockOf(words, at, blockBits) & mask;
    const to = next[part] ?? 0;
    for (let word = 0; word < KEY_WORDS; word += 1) sorted[to + word] = words[at + word] ?? 0;
    next[part] = to + KEY_WORDS;
  }
  return Array.from({ length: mask + 1 }, (_, part) =>
    sorted.subarray(starts[part], starts[part + 1]),
  );
}
