import type { BloomFilter } from './bloom-filter.ts';
import { KEY_BYTES, prefix } from './identity-key.ts';
import type { SegmentStore } from './segment-store.ts';

/** Identities in a segment of level 0; each level holds `FAN_IN` times as many as the one below. */
export const LEVEL_0_KEYS = 65_536;
export const FAN_IN_BITS = 3;
export const FAN_IN = 2 ** FAN_IN_BITS;
const LEVEL_0_BLOCK_BITS = 8;

/** How many leading bits of an identity number its block: about 256 identities a block at each level. */
export function blockBits(level: number): number {
  return LEVEL_0_BLOCK_BITS + level * FAN_IN_BITS;
}

/**
 * An immutable set of identities on disk, in blocks by their leading bits, with its filter in
 * memory. Within a block the order is free: the keys are digests, so every block is equally small.
 */
export interface Segment {
  readonly id: number;
  readonly level: number;
  readonly count: number;
  readonly throughBatch: number;
  readonly filter: BloomFilter;
}

/** Whether the segment holds the identity; reads one block when the filter lets it pass. */
export function segmentHolds(store: SegmentStore, segment: Segment, key: string): boolean {
  if (!segment.filter.mayHold(key)) return false;
  const block = store.readBlock(segment.id, prefix(key, blockBits(segment.level)));
  return blockHolds(block, key);
}

function blockHolds(block: Uint8Array, key: string): boolean {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const wanted = Buffer.from(key, 'latin1');
  let at = bytes.indexOf(wanted);
  // A match that straddles two identities is none.
  while (at !== -1 && at % KEY_BYTES !== 0) at = bytes.indexOf(wanted, at + 1);
  return at !== -1;
}
