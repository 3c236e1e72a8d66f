import { toBytes, toWords } from '../../event-log/stored-texts.ts';
import { BloomFilter } from './bloom-filter.ts';
import { blockOf, KEY_WORDS, sameKey } from './identity-keys.ts';
import type { SegmentStore } from './segment-store.ts';

const FAN_IN_BITS = 3;
/** Number of segments per merge. A segment of the next level has this many times as many blocks. */
export const FAN_IN = 2 ** FAN_IN_BITS;

/**
 * An immutable set of identities on disk, with a Bloom filter in memory. The leading bits of an identity select one of
 * 2 ** `blockBits` blocks. Segments with the same number of blocks form a level. Identities are hashes, so blocks have
 * similar sizes. The order within a block is undefined.
 */
export interface Segment {
  readonly id: number;
  readonly blockBits: number;
  readonly count: number;
  /** ID of the newest row of the log whose identities may be in the segment. */
  readonly throughBatch: number;
  readonly filter: BloomFilter;
}

/** Reports whether the segment contains the identity at `at`. Reads one block if the filter matches. */
export function segmentHolds(
  store: SegmentStore,
  segment: Segment,
  words: Uint32Array,
  at: number,
): boolean {
  if (!segment.filter.mayHold(words, at)) return false;
  const block = toWords(store.readBlock(segment.id, blockOf(words, at, segment.blockBits)));
  for (let key = 0; key < block.length; key += KEY_WORDS)
    if (sameKey(block, key, words, at)) return true;
  return false;
}

export function flush(
  store: SegmentStore,
  words: Uint32Array,
  blockBits: number,
  throughBatch: number,
): Segment {
  const all = beginFlush(store, words, blockBits, throughBatch);
  return continueFlush(store, all, Number.POSITIVE_INFINITY).flush.target;
}

export interface Flush {
  readonly target: Segment;
  readonly blocks: readonly Uint32Array[];
  readonly nextBlock: number;
}

export function beginFlush(
  store: SegmentStore,
  words: Uint32Array,
  blockBits: number,
  throughBatch: number,
): Flush {
  const count = words.length / KEY_WORDS;
  const id = store.begin(blockBits, count, throughBatch);
  const target = { id, blockBits, count, throughBatch, filter: BloomFilter.for(count) };
  return { target, blocks: partition(words, blockBits, blockBits), nextBlock: 0 };
}

/**
 * Writes at most `blocks` blocks. `done` is true when the segment is complete and live. Call it inside a transaction. The step can be repeated
 * after a rollback, because adding a key to the filter is idempotent.
 */
export function continueFlush(
  store: SegmentStore,
  flush: Flush,
  blocks: number,
): { flush: Flush; done: boolean } {
  const { target } = flush;
  const end = Math.min(flush.blocks.length, flush.nextBlock + blocks);
  for (const [offset, words] of flush.blocks.slice(flush.nextBlock, end).entries()) {
    for (let at = 0; at < words.length; at += KEY_WORDS) target.filter.add(words, at);
    store.writeBlock(target.id, flush.nextBlock + offset, toBytes(words));
  }
  const done = end === flush.blocks.length;
  if (done) store.finish(target.id, target.filter.toBytes());
  return { flush: { ...flush, nextBlock: end }, done };
}

export interface Merge {
  readonly sources: readonly Segment[];
  readonly target: Segment;
  readonly nextBlock: number;
}

export function beginMerge(store: SegmentStore, sources: readonly Segment[]): Merge {
  const blockBits = (sources[0]?.blockBits ?? 0) + FAN_IN_BITS;
  const count = sources.reduce((sum, segment) => sum + segment.count, 0);
  const throughBatch = Math.max(...sources.map((segment) => segment.throughBatch));
  const id = store.begin(blockBits, count, throughBatch);
  const target = { id, blockBits, count, throughBatch, filter: BloomFilter.for(count) };
  return { sources, target, nextBlock: 0 };
}

/**
 * Merges at most `blocks` source blocks. `done` is true when the target is complete and live. Call it inside a
 * transaction. The step can be repeated after a rollback, because adding a key to the filter is idempotent.
 */
export function continueMerge(
  store: SegmentStore,
  merge: Merge,
  blocks: number,
): { merge: Merge; done: boolean } {
  const all = 2 ** (merge.target.blockBits - FAN_IN_BITS);
  const end = Math.min(all, merge.nextBlock + blocks);
  for (let block = merge.nextBlock; block < end; block += 1) mergeBlock(store, merge, block);
  const done = end === all;
  if (done) {
    store.finish(merge.target.id, merge.target.filter.toBytes());
    store.retire(merge.sources.map((segment) => segment.id));
  }
  return { merge: { ...merge, nextBlock: end }, done };
}

/** Merges one block of every source. The identities share their leading bits; the next bits select the target block. */
function mergeBlock(store: SegmentStore, { sources, target }: Merge, block: number): void {
  const words = toWords(
    Buffer.concat(sources.map((segment) => store.readBlock(segment.id, block))),
  );
  for (let at = 0; at < words.length; at += KEY_WORDS) target.filter.add(words, at);
  const first = block << FAN_IN_BITS;
  for (const [part, keys] of partition(words, target.blockBits, FAN_IN_BITS).entries())
    store.writeBlock(target.id, first + part, toBytes(keys));
}

/**
 * Partitions identities by the lowest `bits` bits of their block number. The number of blocks is 2 ** `blockBits`. Returns
 * one array per partition, in order. The arrays are views of one new array.
 */
function partition(words: Uint32Array, blockBits: number, bits: number): Uint32Array[] {
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
