import { toBytes } from '../../event-log/words.ts';
import { BloomFilter } from './bloom-filter.ts';
import { KEY_WORDS } from './identity-key.ts';
import { partition } from './partition.ts';
import type { Segment } from './segment.ts';
import type { SegmentStore } from './segment-store.ts';

/** Writes a set of identities as a segment with 2 ** `blockBits` blocks. Runs inside a transaction. */
export function flush(
  store: SegmentStore,
  words: Uint32Array,
  blockBits: number,
  throughBatch: number,
): Segment {
  const count = words.length / KEY_WORDS;
  const filter = BloomFilter.for(count);
  for (let at = 0; at < words.length; at += KEY_WORDS) filter.add(words, at);
  const id = store.begin(blockBits, count, throughBatch);
  for (const [number, block] of partition(words, blockBits, blockBits).entries())
    store.writeBlock(id, number, toBytes(block));
  store.finish(id, filter.toBytes());
  return { id, blockBits, count, throughBatch, filter };
}
