import { toBytes, toWords } from '../../event-log/stored-texts.ts';
import { BloomFilter } from './bloom-filter.ts';
import { blockOf, KEY_WORDS, sameKey } from './identity-keys.ts';
import type { SegmentStore } from './segment-store.ts';

/** Segments of one level that are merged into one of the next; also the ratio of their blocks. */
const FAN_IN_BITS = 3;
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

/** Returns whether the segment contains the identity at `at`. Reads one block if the filter may contain it. */
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

/** A merge in progress: segments of one level into one of the next, a few blocks at a time. */
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
 * Merges up to `blocks` source blocks; `done` once the target is complete and live. Runs inside a transaction and can
 * be repeated if that fails: adding a key to the filter twice has no effect.
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

/** Merges the same block of every source: its identities share their leading bits, and the next bits split it. */
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
 * Splits identities by the last `bits` bits of their block number among 2 ** `blockBits`. Returns one array per part,
 * in order, as views of one new array.
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
