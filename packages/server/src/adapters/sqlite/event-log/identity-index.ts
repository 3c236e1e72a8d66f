import type { DatabaseSync } from 'node:sqlite';
import { BloomFilter } from './bloom-filter.ts';
import { flush } from './flush.ts';
import { unpackKeys } from './identity-key.ts';
import { beginMerge, continueMerge, type Merge } from './merge.ts';
import { blockBits, FAN_IN, LEVEL_0_KEYS, type Segment, segmentHolds } from './segment.ts';
import { SegmentStore } from './segment-store.ts';

/** Source blocks of one step of upkeep: about two milliseconds of merging. */
const BLOCKS_PER_STEP = 12;
const DROPPED_BLOCKS_PER_STEP = 512;

/**
 * The set of all identities ever accepted. The truth stands with the events, in the same row, so
 * identity and event are one transaction; this index is derived from it:
 *
 *   recent    a Set of what came since the last flush; read again from the rows at start
 *   segments  immutable, on disk, each with a Bloom filter in memory
 *
 * A full `recent` is flushed to a segment of level 0, and eight segments of a level are merged into
 * one of the next. Upkeep runs in small steps between requests; a crash at any point leaves the live
 * segments whole, since a segment goes live in one transaction with the end of those it replaces.
 */
export class IdentityIndex {
  readonly #store: SegmentStore;
  #recent = new Set<string>();
  #pending: string[] = [];
  #segments: Segment[];
  #merge: Merge | null = null;
  #garbage: { id: number; level: number; nextBlock: number }[];

  private constructor(store: SegmentStore) {
    this.#store = store;
    this.#segments = store.live().map((row) => ({
      id: row.id,
      level: row.level,
      count: row.count,
      throughBatch: row.through_batch,
      filter: BloomFilter.from(row.filter),
    }));
    this.#garbage = store.garbage().map((row) => ({ ...row, nextBlock: 0 }));
  }

  static open(db: DatabaseSync): IdentityIndex {
    const store = new SegmentStore(db);
    store.abandonBuilding();
    const index = new IdentityIndex(store);
    index.#readRecent(db);
    return index;
  }

  #readRecent(db: DatabaseSync): void {
    const covered = Math.max(0, ...this.#segments.map((segment) => segment.throughBatch));
    const rows = db
      .prepare('select identities from event_batches where id > ? order by id')
      .iterate(covered);
    for (const row of rows) {
      for (const key of unpackKeys(row['identities'] as Uint8Array)) this.#recent.add(key);
    }
  }

  has(key: string): boolean {
    if (this.#recent.has(key)) return true;
    for (const segment of this.#segments) if (segmentHolds(this.#store, segment, key)) return true;
    return false;
  }

  /** Adds a key that the open transaction brings; `committed` or `rolledBack` says what became of it. */
  add(key: string): void {
    this.#recent.add(key);
    this.#pending.push(key);
  }

  committed(): void {
    this.#pending = [];
  }

  rolledBack(): void {
    for (const key of this.#pending) this.#recent.delete(key);
    this.#pending = [];
  }

  get needsUpkeep(): boolean {
    return (
      this.#recent.size >= LEVEL_0_KEYS ||
      this.#merge !== null ||
      this.#garbage.length > 0 ||
      this.#mergeable() !== undefined
    );
  }

  /**
   * One small step, inside a transaction without other writes. `throughBatch` is the newest row. The
   * result puts the step into effect and must be called after the commit, or not at all.
   */
  upkeep(throughBatch: number): () => void {
    if (this.#recent.size >= LEVEL_0_KEYS) return this.#flush(throughBatch);
    if (this.#merge !== null) return this.#continueMerge(this.#merge);
    const sources = this.#mergeable();
    if (sources !== undefined) {
      const merge = beginMerge(this.#store, sources);
      return () => {
        this.#merge = merge;
      };
    }
    return this.#dropGarbage();
  }

  #flush(throughBatch: number): () => void {
    const segment = flush(this.#store, this.#recent, throughBatch);
    return () => {
      this.#segments.push(segment);
      this.#recent = new Set();
    };
  }

  #continueMerge(merge: Merge): () => void {
    const step = continueMerge(this.#store, merge, BLOCKS_PER_STEP);
    return () => {
      this.#merge = step.done ? null : step.merge;
      if (!step.done) return;
      const gone = new Set(merge.sources);
      this.#segments = [...this.#segments.filter((segment) => !gone.has(segment)), merge.target];
      this.#garbage.push(...merge.sources.map(({ id, level }) => ({ id, level, nextBlock: 0 })));
    };
  }

  #mergeable(): Segment[] | undefined {
    const levels = Map.groupBy(this.#segments, (segment) => segment.level);
    return [...levels.values()].find((segments) => segments.length >= FAN_IN)?.slice(0, FAN_IN);
  }

  #dropGarbage(): () => void {
    const first = this.#garbage[0];
    if (first === undefined) return () => {};
    this.#store.dropBlocks(first.id, first.nextBlock, DROPPED_BLOCKS_PER_STEP);
    const nextBlock = first.nextBlock + DROPPED_BLOCKS_PER_STEP;
    const done = nextBlock >= 2 ** blockBits(first.level);
    if (done) this.#store.forget(first.id);
    return () => {
      if (done) this.#garbage.shift();
      else first.nextBlock = nextBlock;
    };
  }
}
