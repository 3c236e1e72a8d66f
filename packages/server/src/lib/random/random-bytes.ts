import { randomFillSync } from 'node:crypto';

const BLOCK_BYTES = 4096;

const block = Buffer.alloc(BLOCK_BYTES);
let used = BLOCK_BYTES;

/**
 * Returns cryptographically strong random bytes. They come from a block that is filled at once, because under load each call of
 * `randomBytes` took 16 µs. The block keeps no copy of returned bytes.
 *
 * @param length At most 4096.
 */
export function pooledRandomBytes(length: number): Buffer {
  if (length > BLOCK_BYTES) throw new RangeError(`length must be at most ${BLOCK_BYTES}`);
  if (used + length > BLOCK_BYTES) {
    randomFillSync(block);
    used = 0;
  }
  const source = block.subarray(used, used + length);
  used += length;
  const bytes = Buffer.from(source);
  source.fill(0);
  return bytes;
}
