import { BloomFilter } from './bloom-filter.ts';
import { packKeys, prefix, unpackKeys } from './identity-key.ts';
import { blockBits, FAN_IN, type Segment } from './segment.ts';
import type { SegmentStore } from './segment-store.ts';

/** A merge on its way: `FAN_IN` segments of one level into one of the next, a few blocks at a time. */
export interface Merge {
  readonly sources: readonly Segment[];
  readonly target: Segment;
  readonly nextBlock: number;
}

export function beginMerge(store: SegmentStore, sources: readonly Segment[]): Merge {
  const level = (sources[0]?.level ?? 0) + 1;
  const count = sources.reduce((sum, segment) => sum + segment.count, 0);
  const throughBatch = Math.max(...sources.map((segment) => segment.throughBatch));
  const id = store.begin(level, count, throughBatch);
  const target = { id, level, count, throughBatch, filter: BloomFilter.for(count) };
  return { sources, target, nextBlock: 0 };
}

/** Merges up to `blocks` source blocks; `done` when the target is whole and live. Runs inside a transaction. */
export function continueMerge(
  store: SegmentStore,
  merge: Merge,
  blocks: number,
): { merge: Merge; done: boolean } {
  const all = 2 ** blockBits(merge.target.level - 1);
  const end = Math.min(all, merge.nextBlock + blocks);
  for (let block = merge.nextBlock; block < end; block += 1) mergeBlock(store, merge, block);
  const done = end === all;
  if (done) {
    store.finish(merge.target.id, merge.target.filter.toBytes());
    store.retire(merge.sources.map((segment) => segment.id));
  }
  return { merge: { ...merge, nextBlock: end }, done };
}

/** The same block of every source holds the same leading bits; the next bits part it into `FAN_IN`. */
function mergeBlock(store: SegmentStore, { sources, target }: Merge, block: number): void {
  const bits = blockBits(target.level);
  const keys = sources.flatMap((segment) => unpackKeys(store.readBlock(segment.id, block)));
  const parts: string[][] = Array.from({ length: FAN_IN }, () => []);
  for (const key of keys) {
    target.filter.add(key);
    parts[prefix(key, bits) & (FAN_IN - 1)]?.push(key);
  }
  for (const [index, part] of parts.entries())
    store.writeBlock(target.id, block * FAN_IN + index, packKeys(part));
}
