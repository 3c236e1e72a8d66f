import { randomFillSync } from 'node:crypto';

const HEX = Buffer.from('0123456789abcdef', 'latin1');
const DASHES: ReadonlySet<number> = new Set([8, 13, 18, 23]);
const VERSION_AT = 14;
const VARIANT_AT = 19;
/** Where the 32 digits stand in the text, in order. */
const PLACES = Uint8Array.from(
  Array.from({ length: 36 }, (_, at) => at).filter((at) => !DASHES.has(at)),
);
const POOL_BYTES = 65_536;

/**
 * Writes random UUIDs (version 4) over others in a buffer, at a tenth of what `randomUUID` and a
 * string would cost: a load must leave the machine to what it measures.
 */
export function uuidWriter(): (target: Buffer, at: number) => void {
  const pool = new Uint8Array(POOL_BYTES);
  let next = POOL_BYTES;
  return (target, at) => {
    if (next + 16 > POOL_BYTES) {
      randomFillSync(pool);
      next = 0;
    }
    for (let digit = 0; digit < 32; digit += 2) {
      const byte = pool[next + (digit >> 1)] ?? 0;
      target[at + (PLACES[digit] ?? 0)] = HEX[byte >> 4] ?? 0;
      target[at + (PLACES[digit + 1] ?? 0)] = HEX[byte & 15] ?? 0;
    }
    next += 16;
    target[at + VERSION_AT] = 0x34;
    target[at + VARIANT_AT] = 0x61;
  };
}
