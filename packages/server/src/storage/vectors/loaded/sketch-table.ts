import type { DocumentItems, DocumentTable } from '../../in-memory/index.ts';
import type { SketchRow } from '../sketches/nearest-sketches.ts';
import type { StoredSketches } from './reads.ts';

const MIN_PAGE_BYTES = 16 * 1024;
const MAX_PAGE_BYTES = 1024 * 1024;
/** Approximate memory of a row and of a document besides the sketches, in bytes. */
const ROW_OVERHEAD_BYTES = 80;
const DOCUMENT_OVERHEAD_BYTES = 108;

interface DocumentRows {
  readonly slot: number;
  readonly rows: readonly SketchRow[];
}

/**
 * The sketches of documents. Each document is one item, so its slot is its ordinal. The sketches are stored in pages, in the order in which
 * they were added. The memory of deleted documents is not reused.
 */
export class SketchTable implements DocumentTable<DocumentItems> {
  readonly #numbers: number[] = [];
  /** `null`: the document of this slot was deleted. */
  readonly #slots: (readonly SketchRow[] | null)[] = [];
  readonly #documents = new Map<number, DocumentRows>();
  #page = new Uint8Array(0);
  #used = 0;
  #pageBytes = 0;
  #rows = 0;
  /** Bytes of the sketches of existing documents. */
  #live = 0;
  /** Bytes of the sketches of deleted documents. */
  deleted = 0;

  /** Number of slots, including those of deleted documents. */
  get size(): number {
    return this.#slots.length;
  }

  /** Bytes of the sketches of existing documents. */
  get live(): number {
    return this.#live;
  }

  get byteLength(): number {
    return (
      this.#pageBytes +
      ROW_OVERHEAD_BYTES * this.#rows +
      DOCUMENT_OVERHEAD_BYTES * this.#slots.length
    );
  }

  slotOf(number: number): number | null {
    return this.#documents.get(number)?.slot ?? null;
  }

  document(slot: number): DocumentItems {
    return { number: this.#numbers[slot] ?? 0, first: slot, end: slot + 1 };
  }

  documentOf(slot: number): DocumentItems {
    return this.document(slot);
  }

  /** Returns the rows of a slot, or an empty array if its document was deleted. */
  rowsOf(slot: number): readonly SketchRow[] {
    return this.#slots[slot] ?? [];
  }

  /** Replaces the sketches of a document. Returns the slots that changed, even if the sketches are the same. */
  replace(number: number, stored: readonly StoredSketches[]): readonly number[] {
    const known = this.slotOf(number);
    const slots = known === null ? [] : [known];
    if (this.#has(number, stored)) return slots;
    this.delete(number);
    return stored.length === 0 ? slots : [...slots, this.add(number, stored)];
  }

  #has(number: number, stored: readonly StoredSketches[]): boolean {
    const rows = this.#documents.get(number)?.rows ?? [];
    return (
      rows.length === stored.length &&
      rows.every(({ first, bytes, from, end }, index) => {
        const other = stored[index];
        return (
          other?.first === first && Buffer.compare(bytes.subarray(from, end), other.sketches) === 0
        );
      })
    );
  }

  /** Adds a document and returns its slot. */
  add(number: number, stored: readonly StoredSketches[]): number {
    const slot = this.#slots.length;
    const rows = stored.map((row) => this.#store(number, row));
    this.#slots.push(rows);
    this.#numbers.push(number);
    this.#documents.set(number, { slot, rows });
    this.#live += bytesOf(rows);
    return slot;
  }

  delete(number: number): void {
    const document = this.#documents.get(number);
    if (document === undefined) return;
    this.#documents.delete(number);
    this.#slots[document.slot] = null;
    const bytes = bytesOf(document.rows);
    this.#live -= bytes;
    this.deleted += bytes;
  }

  #store(number: number, { first, sketches }: StoredSketches): SketchRow {
    if (this.#used + sketches.length > this.#page.length) {
      const size = Math.min(MAX_PAGE_BYTES, Math.max(MIN_PAGE_BYTES, this.#pageBytes));
      this.#page = new Uint8Array(Math.max(size, sketches.length));
      this.#used = 0;
      this.#pageBytes += this.#page.length;
    }
    const from = this.#used;
    this.#used += sketches.length;
    this.#page.set(sketches, from);
    this.#rows += 1;
    return { number, first, bytes: this.#page, from, end: this.#used };
  }
}

function bytesOf(rows: readonly SketchRow[]): number {
  return rows.reduce((sum, { from, end }) => sum + end - from, 0);
}
