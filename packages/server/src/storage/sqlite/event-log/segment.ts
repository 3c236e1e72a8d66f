import { toWords } from '../../event-log/words.ts';
import type { BloomFilter } from './bloom-filter.ts';
import { blockOf, KEY_WORDS, sameKey } from './identity-key.ts';
import type { SegmentStore } from './segment-store.ts';

/** As many segments of one level become one of the next, with as many times the blocks. */
export const FAN_IN_BITS = 3;
export const FAN_IN = 2 ** FAN_IN_BITS;

/**
 * An immutable set of identities on disk, in 2 ** `blockBits` blocks by their leading bits, with its
 * filter in memory. Segments with equally many blocks are of one level. Within a block the order is
 * free: the keys are digests, so every block is about equally small.
 */
export interface Segment {
  readonly id: number;
  readonly blockBits: number;
  readonly count: number;
  /** The newest row of the log whose identities may be in it. */
  readonly throughBatch: number;
  readonly filter: BloomFilter;
}

/** Whether the segment holds the identity at `at`; reads one block when the filter lets it pass. */
export function segmentHolds(
  store: SegmentStore,
  segment: Segment,
  words: Uint32Array,
  at: number,
): boolean {
  if (!segment.filter.mayHold(words, at)) return false;
  const block = toWords(store.readBlock(segment.id, blockOf(words, at, segment.blockBits)));
  for (let place = 0; place < block.length; place += KEY_WORDS)
    if (sameKey(block, place, words, at)) return true;
  return false;
}
