import type { Step } from '../../lib/threads/index.ts';
import type { DocumentItems, DocumentTable, VisibleItems } from './document-table.ts';
import { EvaluatedScopes } from './evaluated-scopes.ts';
import type { DocumentChange, ScopeDocuments } from './reads.ts';

const SPACE_OVERHEAD_BYTES = 16 * 1024;
/** Maximum length of the list of changed documents. A longer list is emptied, and all scopes are evaluated again. */
const MAX_CHANGES = 100_000;

/** Reads and stores one kind of data about documents, such as the terms of their passages. */
export interface LoadedKind<
  Items extends DocumentItems,
  Table extends DocumentTable<Items>,
  Visible extends VisibleItems<Items>,
  Reads,
> {
  newTable(): Table;
  /** Creates a set of the items of the documents with the given numbers. Ignores unknown numbers. */
  visibleAmong(table: Table, numbers: Iterable<number>): Visible;
  /** Reports whether most of the memory belongs to deleted documents. */
  isWasteful(table: Table): boolean;
  /**
   * Adds the documents whose numbers are greater than `after`, in order of their numbers.
   *
   * @param isOver called after each document. `true`: stop.
   */
  load(
    table: Table,
    reads: Reads,
    after: number,
    isOver: (number: number) => boolean,
  ): Promise<void>;
  /**
   * Applies changes of documents.
   *
   * @param pending maps each document number to `reindexed`.
   * @param isOver called after each document, with the slots that changed. `true`: stop.
   */
  apply(
    table: Table,
    reads: Reads,
    pending: ReadonlyMap<number, boolean>,
    isOver: (number: number, slots: readonly number[]) => boolean,
  ): Promise<void>;
}

/**
 * The documents of a space in memory.
 *
 *     loading ──all documents were read──▶ loaded ──too much memory of deleted documents──▶ loading
 *
 * Changes of documents are recorded in both states and applied after loading, before each search. The methods must not run
 * concurrently. If a read fails, the documents remain consistent, and the next call continues.
 */
export class LoadedDocuments<
  Items extends DocumentItems,
  Table extends DocumentTable<Items>,
  Visible extends VisibleItems<Items>,
  Reads,
> {
  readonly #kind: LoadedKind<Items, Table, Visible, Reads>;
  #table: Table;
  /** Last document number that was read, or `null` after loading. */
  #cursor: number | null = 0;
  /** Changes that the table does not include yet. Maps each document number to `reindexed`. */
  readonly #pending = new Map<number, boolean>();
  /** Slots of documents that changed after loading. */
  #changed: number[] = [];
  readonly #scopes: EvaluatedScopes<Items, Table, Visible>;

  constructor(kind: LoadedKind<Items, Table, Visible, Reads>) {
    this.#kind = kind;
    this.#table = kind.newTable();
    this.#scopes = new EvaluatedScopes((table, numbers) => kind.visibleAmong(table, numbers));
  }

  get table(): Table {
    return this.#table;
  }

  get byteLength(): number {
    return SPACE_OVERHEAD_BYTES + this.#table.byteLength + this.#scopes.byteLength;
  }

  /** Records that a document, its data or its permissions may have changed. */
  change({ number, reindexed }: DocumentChange): void {
    this.#pending.set(number, reindexed || this.#pending.get(number) === true);
  }

  /**
   * Loads documents and applies changes until the step is over. Processes at least one document. Returns `true` if the documents are up to
   * date.
   */
  async update(reads: Reads, step: Pick<Step, 'isOver'>): Promise<boolean> {
    if (this.#kind.isWasteful(this.#table)) this.#restart();
    if (this.#cursor !== null) await this.#load(reads, this.#cursor, step);
    if (this.#cursor !== null) return false;
    if (this.#changed.length > MAX_CHANGES) {
      this.#scopes.clear();
      this.#changed = [];
    }
    await this.#kind.apply(this.#table, reads, this.#pending, (number, slots) => {
      this.#pending.delete(number);
      this.#changed.push(...slots);
      return step.isOver;
    });
    return this.#pending.size === 0;
  }

  /** Reports whether `visible` can return a scope without a call of `candidates`. */
  hasScope(key: string): boolean {
    return this.#scopes.has(key, this.#changed.length);
  }

  /** Returns the items of a scope; see `EvaluatedScopes.get`. The documents must be up to date. */
  visible(scope: ScopeDocuments, step: Pick<Step, 'isOver'>): Promise<Visible | null> {
    return this.#scopes.get(this.#table, this.#changed, scope, step);
  }

  async #load(reads: Reads, after: number, step: Pick<Step, 'isOver'>): Promise<void> {
    let isComplete = true;
    await this.#kind.load(this.#table, reads, after, (number) => {
      this.#cursor = number;
      isComplete = !step.isOver;
      return !isComplete;
    });
    if (isComplete) this.#cursor = null;
  }

  #restart(): void {
    this.#table = this.#kind.newTable();
    this.#scopes.clear();
    this.#changed = [];
    this.#pending.clear();
    this.#cursor = 0;
  }
}
