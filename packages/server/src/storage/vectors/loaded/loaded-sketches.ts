import type { Step } from '../../../lib/threads/index.ts';
import {
  type DocumentItems,
  LoadedDocuments,
  type LoadedKind,
  type LoadedSpaces,
  type ScopeDocuments,
  type VisibleItems,
} from '../../in-memory/index.ts';
import type { Near } from '../near.ts';
import { NearestSketches } from '../sketches/nearest-sketches.ts';
import type { SketchReads, VectorKind } from './reads.ts';
import { SketchTable } from './sketch-table.ts';

/** A space is loaded again if the sketches of its deleted documents exceed this size and the total size of its other sketches. */
const MAX_DELETED_BYTES = 8 * 1024 * 1024;
/** Number of changed documents whose sketches are read together. */
const CHANGES_PER_READ = 50;

type SketchesKind = LoadedKind<DocumentItems, SketchTable, SlotSet, SketchReads>;

function sketchesOf(kind: VectorKind): SketchesKind {
  return {
    newTable: () => new SketchTable(),
    visibleAmong: slotsOf,
    isWasteful: ({ deleted, live }) => deleted > MAX_DELETED_BYTES && deleted > live,

    async load(table, reads, after, isOver) {
      for await (const { number, rows } of reads.documents(kind, after)) {
        table.add(number, rows);
        if (isOver(number)) return;
      }
    },

    async apply(table, reads, pending, isOver) {
      const numbers = [...pending.keys()];
      for (let at = 0; at < numbers.length; at += CHANGES_PER_READ) {
        const some = numbers.slice(at, at + CHANGES_PER_READ);
        const stored = await reads.sketchesOf(kind, some);
        const rowsOf = new Map(stored.map(({ number, rows }) => [number, rows]));
        for (const number of some)
          if (isOver(number, table.replace(number, rowsOf.get(number) ?? []))) return;
      }
    },
  };
}

/** The sketches of a space in memory. */
export class LoadedSketches extends LoadedDocuments<
  DocumentItems,
  SketchTable,
  SlotSet,
  SketchReads
> {
  readonly kind: VectorKind;

  constructor(kind: VectorKind) {
    super(sketchesOf(kind));
    this.kind = kind;
  }

  /** Returns the sketches of a space. Replaces sketches of another kind, because a space usually has vectors of one model only. */
  static in(spaces: LoadedSpaces<LoadedSketches>, spaceId: string, kind: VectorKind) {
    const isOfKind = (known: LoadedSketches) =>
      known.kind.model === kind.model && known.kind.dimensions === kind.dimensions;
    return spaces.get(spaceId, () => new LoadedSketches(kind), isOfKind);
  }

  /**
   * Returns the `count` passages of a scope with the most similar sketches, or `null` if the step was over before the scope was evaluated.
   * The sketches must be up to date.
   */
  async nearest(
    scope: ScopeDocuments,
    query: Float32Array,
    count: number,
    step: Pick<Step, 'isOver'>,
  ): Promise<readonly Near[] | null> {
    const slots = await this.visible(scope, step);
    if (slots === null) return null;
    const nearest = new NearestSketches(query, count);
    const { table } = this;
    for (let slot = 0; slot < table.size; slot++)
      if (slots.has(slot)) for (const row of table.rowsOf(slot)) nearest.add(row);
    return nearest.sorted();
  }
}

function slotsOf(table: SketchTable, numbers: Iterable<number>): SlotSet {
  const slots = new SlotSet(table.size);
  for (const number of numbers) {
    const slot = table.slotOf(number);
    if (slot !== null) slots.set(table.document(slot), true);
  }
  return slots;
}

const MIN_WORDS = 8;

/** The documents of a scope, as one bit per slot. */
class SlotSet implements VisibleItems<DocumentItems> {
  #bits: Uint32Array;

  /** @param capacity number of slots to allocate. */
  constructor(capacity: number) {
    this.#bits = new Uint32Array(Math.max(MIN_WORDS, (capacity + 31) >>> 5));
  }

  get bits(): Uint32Array {
    return this.#bits;
  }

  get byteLength(): number {
    return this.#bits.byteLength;
  }

  has(slot: number): boolean {
    return (((this.#bits[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
  }

  set({ first: slot }: DocumentItems, isMember: boolean): void {
    const word = slot >>> 5;
    if (word >= this.#bits.length) {
      const bits = new Uint32Array(Math.ceil((word + 1) * 1.25));
      bits.set(this.#bits);
      this.#bits = bits;
    }
    const bit = 1 << (slot & 31);
    const before = this.#bits[word] ?? 0;
    this.#bits[word] = isMember ? before | bit : before & ~bit;
  }
}
