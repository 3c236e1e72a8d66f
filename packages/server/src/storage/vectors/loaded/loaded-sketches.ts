import { LRUCache } from 'lru-cache';
import type { Step } from '../../../lib/threads/index.ts';
import type { Near } from '../near.ts';
import { NearestSketches } from '../sketches/nearest-sketches.ts';
import type { PermittedDocuments, SketchReads, VectorKind } from './reads.ts';
import { SketchTable } from './sketch-table.ts';
import { SlotSet } from './slot-set.ts';

/** Maximum size of a space's cached scopes in bytes. */
const MAX_SCOPE_BYTES = 8 * 1024 * 1024;
const SPACE_OVERHEAD_BYTES = 16 * 1024;
const SCOPE_OVERHEAD_BYTES = 2048;
/** Maximum number of changes since the last use of a cached scope. After more changes, the scope is computed again. */
const MAX_CHANGED = 5000;
/** Maximum length of the list of changed documents. A longer list is emptied, and all cached scopes are dropped. */
const MAX_CHANGES = 100_000;
/** A space is loaded again if the sketches of its deleted documents exceed this size and the total size of its other sketches. */
const MAX_DELETED_BYTES = 8 * 1024 * 1024;

type StepTime = Pick<Step, 'isOver'>;

interface CachedScope {
  /** Slots of the permitted documents. */
  readonly slots: SlotSet;
  /** Number of entries of `#changed` that `slots` includes. */
  seen: number;
}

/**
 * The sketches of a space in memory.
 *
 *     loading ──all documents were read──▶ loaded ──too many deleted documents──▶ loading
 *
 * Changes of documents are recorded in both states and applied after loading, before each search. The methods must not run
 * concurrently. If a read fails, the sketches remain consistent, and the next call continues.
 */
export class LoadedSketches {
  readonly kind: VectorKind;
  #table = new SketchTable();
  /** Last document number that was read, or `null` after loading. */
  #cursor: number | null = 0;
  /** Numbers of documents whose changes the table does not include yet. */
  readonly #pending = new Set<number>();
  /** Numbers of documents that changed after loading. */
  #changed: number[] = [];
  readonly #scopes = new LRUCache<string, CachedScope>({
    maxSize: MAX_SCOPE_BYTES,
    sizeCalculation: ({ slots }, key) => slots.byteLength + 2 * key.length + SCOPE_OVERHEAD_BYTES,
  });

  constructor(kind: VectorKind) {
    this.kind = kind;
  }

  get byteLength(): number {
    return SPACE_OVERHEAD_BYTES + this.#table.byteLength + this.#scopes.calculatedSize;
  }

  /** Records that a document, its sketches or its permissions may have changed. */
  change(number: number): void {
    this.#pending.add(number);
  }

  /**
   * Loads documents and applies changes until the step is over. Processes at least one document. Returns `true` if the sketches are up to
   * date.
   */
  async update(reads: SketchReads, step: StepTime): Promise<boolean> {
    const { deleted, live } = this.#table;
    if (deleted > MAX_DELETED_BYTES && deleted > live) this.#restart();
    if (this.#cursor !== null) await this.#load(reads, this.#cursor, step);
    if (this.#cursor !== null) return false;
    if (this.#changed.length > MAX_CHANGES) {
      this.#scopes.clear();
      this.#changed = [];
    }
    for (const number of this.#pending) {
      await this.#apply(reads, number);
      if (step.isOver) break;
    }
    return this.#pending.size === 0;
  }

  /** Returns the `count` passages of a scope with the most similar sketches. The sketches must be up to date. */
  async nearest(
    permitted: PermittedDocuments,
    query: Float32Array,
    count: number,
  ): Promise<readonly Near[]> {
    const slots = await this.#permitted(permitted);
    const nearest = new NearestSketches(query, count);
    const table = this.#table;
    for (let slot = 0; slot < table.size; slot++)
      if (slots.has(slot)) for (const row of table.rowsOf(slot)) nearest.add(row);
    return nearest.sorted();
  }

  async #permitted(permitted: PermittedDocuments): Promise<SlotSet> {
    const cached = this.#scopes.get(permitted.key);
    if (cached !== undefined && this.#changed.length - cached.seen <= MAX_CHANGED) {
      await this.#refresh(cached, permitted);
      return cached.slots;
    }
    const slots = new SlotSet(this.#table.size);
    for (const number of await permitted.documents()) {
      const slot = this.#table.slotOf(number);
      if (slot !== null) slots.set(slot, true);
    }
    this.#scopes.set(permitted.key, { slots, seen: this.#changed.length });
    return slots;
  }

  /** Deleted slots need no update, because they have no rows. */
  async #refresh(cached: CachedScope, permitted: PermittedDocuments): Promise<void> {
    const numbers = [...new Set(this.#changed.slice(cached.seen))];
    if (numbers.length === 0) return;
    const allowed = new Set(await permitted.documentsAmong(numbers));
    for (const number of numbers) {
      const slot = this.#table.slotOf(number);
      if (slot !== null) cached.slots.set(slot, allowed.has(number));
    }
    cached.seen = this.#changed.length;
  }

  async #load(reads: SketchReads, after: number, step: StepTime): Promise<void> {
    for await (const { number, rows } of reads.documents(this.kind, after)) {
      this.#table.add(number, rows);
      this.#cursor = number;
      if (step.isOver) return;
    }
    this.#cursor = null;
  }

  async #apply(reads: SketchReads, number: number): Promise<void> {
    const rows = await reads.sketchesOf(this.kind, number);
    this.#pending.delete(number);
    this.#changed.push(number);
    if (this.#table.has(number, rows)) return;
    this.#table.delete(number);
    if (rows.length > 0) this.#table.add(number, rows);
  }

  #restart(): void {
    this.#table = new SketchTable();
    this.#scopes.clear();
    this.#changed = [];
    this.#pending.clear();
    this.#cursor = 0;
  }
}
