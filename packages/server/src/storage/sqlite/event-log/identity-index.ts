import type { DatabaseSync } from 'node:sqlite';
import { toWords } from '../../event-log/stored-texts.ts';
import { BloomFilter } from './bloom-filter.ts';
import { KEY_WORDS, RecentKeys } from './identity-keys.ts';
import { SegmentStore } from './segment-store.ts';
import {
  beginMerge,
  continueMerge,
  FAN_IN,
  flush,
  type Merge,
  type Segment,
  segmentHolds,
} from './segments.ts';

export interface IndexSizes {
  /** Identities that are gathered in memory before they become a segment. */
  readonly recentKeys: number;
  /** A new segment has 2 ** this many blocks. */
  readonly blockBits: number;
  /** Source blocks of one step of a merge. */
  readonly mergedPerStep: number;
  readonly droppedPerStep: number;
}

/** About 220 identities a block, so that two blocks fit a page; a step takes a few milliseconds. */
const SIZES: IndexSizes = {
  recentKeys: 56_000,
  blockBits: 8,
  mergedPerStep: 12,
  droppedPerStep: 512,
};

/**
 * The set of all identities ever accepted. The truth stands with the events, in the same row, so
 * identity and event are one transaction; this index is derived from it:
 *
 *   recent    in memory, what came since the last flush; read again from the rows at start
 *   segments  immutable, on disk, each with a Bloom filter in memory
 *
 * A full `recent` is flushed to a segment of the lowest level, and eight segments of a level are
 * merged into one of the next; a small merge goes before a large one that has begun, so that few
 * segments are to be asked at any time. Maintenance runs in small steps between requests; a crash at any point
 * leaves the live segments whole, since a segment goes live in one transaction with the end of those
 * it replaces.
 */
export class IdentityIndex {
  readonly #store: SegmentStore;
  readonly #sizes: IndexSizes;
  #recent = new RecentKeys();
  #segments: Segment[];
  #merges: Merge[] = [];
  #garbage: { id: number; blockBits: number; nextBlock: number }[];

  private constructor(store: SegmentStore, sizes: IndexSizes) {
    this.#store = store;
    this.#sizes = sizes;
    this.#segments = store.live().map((row) => ({
      id: row.id,
      blockBits: row.block_bits,
      count: row.count,
      throughBatch: row.through_batch,
      filter: BloomFilter.from(row.filter),
    }));
    this.#garbage = store
      .garbage()
      .map((row) => ({ id: row.id, blockBits: row.block_bits, nextBlock: 0 }));
  }

  /** Reads the index; writes nothing, so that it can be opened on a full disk. */
  static open(db: DatabaseSync, sizes: IndexSizes = SIZES): IdentityIndex {
    const index = new IdentityIndex(new SegmentStore(db), sizes);
    index.#readRecent(db);
    return index;
  }

  #readRecent(db: DatabaseSync): void {
    const covered = Math.max(0, ...this.#segments.map((segment) => segment.throughBatch));
    const rows = db
      .prepare('select identities from event_batches where id > ? order by id')
      .iterate(covered);
    for (const row of rows) {
      const words = toWords(row['identities'] as Uint8Array);
      for (let at = 0; at < words.length; at += KEY_WORDS) this.#recent.add(words, at);
    }
    this.#recent.commit();
  }

  /** Whether the identity at `at` is known, also from the open transaction. */
  has(words: Uint32Array, at: number): boolean {
    if (this.#recent.has(words, at)) return true;
    for (const segment of this.#segments)
      if (segmentHolds(this.#store, segment, words, at)) return true;
    return false;
  }

  /** Adds an unknown identity; `committed` or `rolledBack` says what became of its transaction. */
  add(words: Uint32Array, at: number): void {
    this.#recent.add(words, at);
  }

  committed(): void {
    this.#recent.commit();
  }

  rolledBack(): void {
    this.#recent.rollBack();
  }

  get needsMaintenance(): boolean {
    return (
      this.#recent.size >= this.#sizes.recentKeys ||
      this.#merges.length > 0 ||
      this.#garbage.length > 0 ||
      this.#mergeable() !== undefined
    );
  }

  /**
   * One small step, inside a transaction without other writes. `throughBatch` is the newest row. The
   * result puts the step into effect and must be called after the commit, or not at all.
   */
  maintain(throughBatch: number): () => void {
    if (this.#recent.size >= this.#sizes.recentKeys) return this.#flush(throughBatch);
    const sources = this.#mergeable();
    if (sources !== undefined) return this.#beginMerge(sources);
    const smallest = this.#merges.toSorted((a, b) => a.target.count - b.target.count)[0];
    return smallest === undefined ? this.#dropGarbage() : this.#continueMerge(smallest);
  }

  #flush(throughBatch: number): () => void {
    const segment = flush(this.#store, this.#recent.words, this.#sizes.blockBits, throughBatch);
    return () => {
      this.#segments.push(segment);
      this.#recent = new RecentKeys();
    };
  }

  /** Segments of one level, enough for a merge and in none yet. */
  #mergeable(): Segment[] | undefined {
    const taken = new Set(this.#merges.flatMap((merge) => merge.sources));
    const free = this.#segments.filter((segment) => !taken.has(segment));
    const levels = Map.groupBy(free, (segment) => segment.blockBits);
    return [...levels.values()].find((segments) => segments.length >= FAN_IN)?.slice(0, FAN_IN);
  }

  #beginMerge(sources: readonly Segment[]): () => void {
    const merge = beginMerge(this.#store, sources);
    return () => this.#merges.push(merge);
  }

  #continueMerge(merge: Merge): () => void {
    const step = continueMerge(this.#store, merge, this.#sizes.mergedPerStep);
    return () => {
      this.#merges = this.#merges.filter((other) => other !== merge);
      if (step.done) this.#replace(merge.sources, merge.target);
      else this.#merges.push(step.merge);
    };
  }

  #replace(sources: readonly Segment[], target: Segment): void {
    const gone = new Set(sources);
    this.#segments = [...this.#segments.filter((segment) => !gone.has(segment)), target];
    for (const { id, blockBits } of sources) this.#garbage.push({ id, blockBits, nextBlock: 0 });
  }

  #dropGarbage(): () => void {
    const first = this.#garbage[0];
    if (first === undefined) return () => {};
    this.#store.dropBlocks(first.id, first.nextBlock, this.#sizes.droppedPerStep);
    const nextBlock = first.nextBlock + this.#sizes.droppedPerStep;
    const done = nextBlock >= 2 ** first.blockBits;
    if (done) this.#store.forget(first.id);
    return () => {
      if (done) this.#garbage.shift();
      else first.nextBlock = nextBlock;
    };
  }
}
