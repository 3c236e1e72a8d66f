import { toBytes, toWords } from '../../event-log/words.ts';
import { BloomFilter } from './bloom-filter.ts';
import { KEY_WORDS } from './identity-key.ts';
import { partition } from './partition.ts';
import { FAN_IN_BITS, type Segment } from './segment.ts';
import type { SegmentStore } from './segment-store.ts';

/** A merge on its way: segments of one level into one of the next, a few blocks at a time. */
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
 * Merges up to `blocks` source blocks; `done` when the target is whole and live. Runs inside a
 * transaction; should that fail, the same step can be done again, since a filter does not mind to
 * be given the same keys twice.
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

/** The same block of every source holds the same leading bits; the next bits part it again. */
function mergeBlock(store: SegmentStore, { sources, target }: Merge, block: number): void {
  const words = toWords(
    Buffer.concat(sources.map((segment) => store.readBlock(segment.id, block))),
  );
  for (let at = 0; at < words.length; at += KEY_WORDS) target.filter.add(words, at);
  const first = block << FAN_IN_BITS;
  for (const [part, keys] of partition(words, target.blockBits, FAN_IN_BITS).entries())
    store.writeBlock(target.id, first + part, toBytes(keys));
}
