import type { DatabaseSync } from 'node:sqlite';
import { toWords } from '../../event-log/stored-texts.ts';
import { BloomFilter } from './bloom-filter.ts';
import { KEY_WORDS, RecentKeys } from './identity-keys.ts';
import { SegmentStore } from './segment-store.ts';
import {
  beginFlush,
  beginMerge,
  continueFlush,
  continueMerge,
  FAN_IN,
  type Flush,
  type Merge,
  type Segment,
  segmentHolds,
} from './segments.ts';

export interface IndexSizes {
  /** Number of identities in memory that triggers a flush to a new segment. */
  readonly recentKeys: number;
  /** Binary logarithm of the number of blocks of a new segment. */
  readonly blockBits: number;
  /** Number of blocks that one maintenance step flushes, merges or deletes. */
  readonly flushedPerStep: number;
  readonly mergedPerStep: number;
  readonly droppedPerStep: number;
}

/** A block has about 220 identities, and two blocks fit in a page. A step takes a few milliseconds. */
const SIZES: IndexSizes = {
  recentKeys: 56_000,
  blockBits: 8,
  flushedPerStep: 48,
  mergedPerStep: 12,
  droppedPerStep: 512,
};

/**
 * The set of all accepted identities, organised as a log-structured merge tree. Each row of the event log also contains the
 * identities of its events, so an event and its identity are committed together. This index is derived from those rows.
 *
 * - recent: identities since the start of the last flush, in memory.
 * - flushing: the identities of a flush that has not ended, in memory. At startup, both are reloaded from the rows as recent.
 * - segments: immutable sets on disk, each with a Bloom filter in memory.
 *
 * When `recent` is full, it is flushed to a segment of the lowest level. Eight segments of a level are merged into one
 * segment of the next level. Small merges run before large ones, which keeps the number of segments low. Maintenance runs
 * in small steps between requests. A crash never damages live segments: the transaction that makes a merged segment live
 * also retires its sources.
 */
export class IdentityIndex {
  readonly #store: SegmentStore;
  readonly #sizes: IndexSizes;
  #recent = new RecentKeys();
  #flushing: { readonly keys: RecentKeys; flush: Flush } | null = null;
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

  /** Loads the index. Writes nothing, so that the store can be opened on a full disk. */
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

  /** Reports whether the identity at `at` is known. Identities added by the open transaction are known. */
  has(words: Uint32Array, at: number): boolean {
    if (this.#recent.has(words, at) || this.#flushing?.keys.has(words, at) === true) return true;
    for (const segment of this.#segments)
      if (segmentHolds(this.#store, segment, words, at)) return true;
    return false;
  }

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
      this.#flushing !== null ||
      this.#recent.size >= this.#sizes.recentKeys ||
      this.#merges.length > 0 ||
      this.#garbage.length > 0 ||
      this.#mergeable() !== undefined
    );
  }

  /**
   * Runs one maintenance step. Call it inside a transaction without other writes.
   *
   * @param throughBatch ID of the newest row of the log.
   * @returns a function that applies the step in memory. Call it after the commit; do not call it after a rollback.
   */
  maintain(throughBatch: number): () => void {
    if (this.#flushing !== null) return this.#continueFlush(this.#flushing);
    if (this.#recent.size >= this.#sizes.recentKeys) return this.#beginFlush(throughBatch);
    const sources = this.#mergeable();
    if (sources !== undefined) return this.#beginMerge(sources);
    const smallest = this.#merges.toSorted((a, b) => a.target.count - b.target.count)[0];
    return smallest === undefined ? this.#dropGarbage() : this.#continueMerge(smallest);
  }

  #beginFlush(throughBatch: number): () => void {
    const keys = this.#recent;
    const flush = beginFlush(this.#store, keys.words, this.#sizes.blockBits, throughBatch);
    return () => {
      this.#flushing = { keys, flush };
      this.#recent = new RecentKeys();
    };
  }

  #continueFlush(flushing: { flush: Flush }): () => void {
    const { flush, done } = continueFlush(this.#store, flushing.flush, this.#sizes.flushedPerStep);
    return () => {
      flushing.flush = flush;
      if (!done) return;
      this.#segments.push(flush.target);
      this.#flushing = null;
    };
  }

  /** Returns the segments of one level to merge next, or undefined if no level has enough segments. */
  #mergeable(): Segment[] | undefined {
    const merging = new Set(this.#merges.flatMap((merge) => merge.sources));
    const free = this.#segments.filter((segment) => !merging.has(segment));
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
    const replaced = new Set(sources);
    this.#segments = [...this.#segments.filter((segment) => !replaced.has(segment)), target];
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
