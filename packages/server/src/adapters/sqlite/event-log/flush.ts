import { BloomFilter } from './bloom-filter.ts';
import { KEY_BYTES, prefix } from './identity-key.ts';
import { blockBits, type Segment } from './segment.ts';
import type { SegmentStore } from './segment-store.ts';

/** Writes a set of identities as a segment of level 0. Runs inside a transaction. */
export function flush(
  store: SegmentStore,
  keys: ReadonlySet<string>,
  throughBatch: number,
): Segment {
  const level = 0;
  const bits = blockBits(level);
  const sizes = new Uint32Array(2 ** bits);
  for (const key of keys) sizes[prefix(key, bits)]! += 1;
  const blocks = Array.from(sizes, (size) => Buffer.allocUnsafe(size * KEY_BYTES));
  const filter = BloomFilter.for(keys.size);
  const filled = new Uint32Array(sizes.length);
  for (const key of keys) {
    const number = prefix(key, bits);
    filled[number]! += blocks[number]!.write(key, filled[number]!, KEY_BYTES, 'latin1');
    filter.add(key);
  }
  const id = store.begin(level, keys.size, throughBatch);
  blocks.forEach((block, number) => store.writeBlock(id, number, block));
  store.finish(id, filter.toBytes());
  return { id, level, count: keys.size, throughBatch, filter };
}
