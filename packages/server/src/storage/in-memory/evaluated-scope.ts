import { BatchSize } from '../../lib/scheduling/index.ts';
import { type Step, StorageTooSlow } from '../../lib/threads/index.ts';
import type { DocumentItems, DocumentTable, VisibleItems } from './document-table.ts';
import type { ScopeDocuments } from './reads.ts';

type ScopeTest = Pick<ScopeDocuments, 'documentsAmong'>;

interface Batch<Items> {
  readonly documents: readonly Items[];
  /** Values of `#next` and `seen` after the documents were tested. If a read fails, the batch is tested again. */
  readonly next: number;
  readonly seen: number;
}

/**
 * The visible items of a scope, which are computed in batches of documents.
 *
 *     evaluating ──all candidates were tested──▶ applying changes ──▶ up to date
 *                                                      ▲                  │
 *                                                      └─documents change─┘
 *
 * Documents that change during the evaluation are tested again, so the result is exact for the snapshot of the last batch.
 */
export class EvaluatedScope<Items extends DocumentItems, Visible extends VisibleItems<Items>> {
  readonly visible: Visible;
  readonly #table: DocumentTable<Items>;
  /** First ordinal that has not been tested. */
  #next: number;
  /** Ordinal after the last candidate. */
  readonly #end: number;
  readonly #batch = new BatchSize();
  /** Number of changes that have been applied. */
  seen: number;

  /**
   * @param candidates includes all items of the scope. Items outside the scope are removed.
   * @param isExact `true` if the candidates are the items of the scope.
   * @param seen number of changes that the candidates include.
   */
  constructor(table: DocumentTable<Items>, candidates: Visible, isExact: boolean, seen: number) {
    this.#table = table;
    this.visible = candidates;
    this.#end = table.size;
    this.#next = isExact ? this.#end : 0;
    this.seen = seen;
  }

  /**
   * Tests documents until the step is over. Tests at least one batch. Returns `true` if the scope is up to date.
   *
   * @param changed slots of documents that changed, in order.
   */
  async advance(
    changed: readonly number[],
    scope: ScopeTest,
    step: Pick<Step, 'isOver'>,
  ): Promise<boolean> {
    for (;;) {
      const batch = this.#nextBatch(changed);
      if (batch === null) return true;
      const start = performance.now();
      try {
        await this.#test(batch.documents, scope);
      } catch (error) {
        // The next call tests a smaller batch. Preceding fast documents may have made this batch too large for slow documents.
        if (!(error instanceof StorageTooSlow) || !this.#batch.reduce()) throw error;
        return false;
      }
      this.#next = batch.next;
      this.seen = batch.seen;
      this.#batch.finished(performance.now() - start);
      if (step.isOver) return this.#next === this.#end && this.seen === changed.length;
    }
  }

  /** Returns `null` if the scope is up to date. */
  #nextBatch(changed: readonly number[]): Batch<Items> | null {
    const documents: Items[] = [];
    const { bits } = this.visible;
    let next = this.#next;
    while (next < this.#end && documents.length < this.#batch.size) {
      const word = (bits[next >>> 5] ?? 0) >>> (next & 31);
      if (word === 0) next = Math.min(this.#end, ((next >>> 5) + 1) << 5);
      else {
        next += 31 - Math.clz32(word & -word);
        const document = this.#table.documentOf(next);
        documents.push(document);
        next = document.end;
      }
    }
    if (documents.length > 0) return { documents, next, seen: this.seen };
    const seen = Math.min(changed.length, this.seen + this.#batch.size);
    if (seen === this.seen && next === this.#next) return null;
    const slots = new Set(changed.slice(this.seen, seen));
    return { documents: Array.from(slots, (slot) => this.#table.document(slot)), next, seen };
  }

  async #test(documents: readonly Items[], scope: ScopeTest): Promise<void> {
    const live = documents.filter((document) => this.#isLive(document));
    const numbers = live.map(({ number }) => number);
    const visible = new Set(numbers.length === 0 ? [] : await scope.documentsAmong(numbers));
    for (const document of documents)
      this.visible.set(document, this.#isLive(document) && visible.has(document.number));
  }

  #isLive({ number, first }: Items): boolean {
    const slot = this.#table.slotOf(number);
    return slot !== null && this.#table.document(slot).first === first;
  }
}
