import { BloomFilter } from './bloom-filter.ts';
import { packKeys, prefix } from './identity-key.ts';
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
  const blocks: string[][] = Array.from({ length: 2 ** bits }, () => []);
  const filter = BloomFilter.for(keys.size);
  for (const key of keys) {
    blocks[prefix(key, bits)]?.push(key);
    filter.add(key);
  }
  const id = store.begin(level, keys.size, throughBatch);
  for (const [number, block] of blocks.entries()) store.writeBlock(id, number, packKeys(block));
  store.finish(id, filter.toBytes());
  return { id, level, count: keys.size, throughBatch, filter };
}
