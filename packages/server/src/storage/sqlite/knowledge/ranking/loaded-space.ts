import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { passagesOf, TermIndex, type VisiblePassages } from '../../../full-text/ranking/index.ts';
import type { Select } from '../../reads/select-thread.ts';
import { Statements } from '../../statements.ts';
import { MAX_DOCUMENTS, MAX_PASSAGES, rowidsOfDocument } from '../rowids.ts';
import type { DocumentChange } from './change-log.ts';

/** Maximum size of a space's cached scopes in bytes. */
const MAX_SCOPE_BYTES = 16 * 1024 * 1024;
const SPACE_OVERHEAD_BYTES = 16 * 1024;
const SCOPE_OVERHEAD_BYTES = 2048;
/** Maximum number of changes since the last use of a cached scope. After more changes, the scope is computed again. */
const MAX_CHANGED = 5000;
/** Maximum length of the list of changed documents. A longer list is emptied, and all cached scopes are dropped. */
const MAX_CHANGES = 100_000;
/** A space is loaded again if it has more deleted passages than this number and more than half of its passages are deleted. */
const MAX_DELETED = 50_000;

interface CachedScope {
  readonly visible: VisiblePassages;
  /** Number of entries of `#changed` that `visible` includes. */
  seen: number;
}

/** SQL that selects the documents of a scope. */
export interface ScopeSelects {
  /** Selects the numbers of all ready documents in the scope. */
  readonly documents: Select;
  /** Selects the same numbers, but only those in a JSON array, which is the first parameter. */
  readonly among: Select;
}

/** Prepared statements that all spaces share. */
export class SpaceStatements {
  readonly space: StatementSync;
  readonly rows: StatementSync;
  readonly isReady: StatementSync;
  readonly rowsOfDocument: StatementSync;
  readonly others: Statements;

  constructor(db: DatabaseSync) {
    this.others = new Statements(db);
    this.space = db.prepare('select number from knowledge_spaces where space_id = ?');
    // With `not indexed`, SQLite reads documents in the order of their numbers. Otherwise every step would sort all remaining ones.
    this.rows = db.prepare(
      `select documents.number, term_vectors.terms
       from documents not indexed
       cross join term_vectors on term_vectors.id
         between documents.number * ${MAX_PASSAGES} and documents.number * ${MAX_PASSAGES} + ${MAX_PASSAGES - 1}
       where documents.number > ? and documents.number < ? and documents.space_id = ? and documents.state = 'ready'
       order by documents.number, term_vectors.id`,
    );
    this.rows.setReturnArrays(true);
    this.isReady = db.prepare(
      `select 1 from documents where number = ? and space_id = ? and state = 'ready'`,
    );
    this.rowsOfDocument = db.prepare(
      'select terms from term_vectors where id between ? and ? order by id',
    );
  }
}

/**
 * The index of a space in memory.
 *
 *     loading ──all documents were read──▶ loaded ──too many deleted passages──▶ loading
 *
 * Changes of documents are recorded in both states and applied after loading, before each search.
 */
export class LoadedSpace {
  readonly #db: DatabaseSync;
  readonly #statements: SpaceStatements;
  readonly #spaceId: string;
  readonly #end: number;
  #index = new TermIndex();
  /** Last document number that was read, or `null` after loading. */
  #cursor: number | null;
  /** Changes that the index does not include yet: `reindexed` by document number. */
  readonly #pending = new Map<number, boolean>();
  /** Slots of documents that changed after loading. */
  #changed: number[] = [];
  readonly #scopes = new LRUCache<string, CachedScope>({
    maxSize: MAX_SCOPE_BYTES,
    sizeCalculation: ({ visible }, key) =>
      visible.byteLength + 2 * key.length + SCOPE_OVERHEAD_BYTES,
  });

  constructor(db: DatabaseSync, statements: SpaceStatements, spaceId: string, space: number) {
    this.#db = db;
    this.#statements = statements;
    this.#spaceId = spaceId;
    this.#cursor = space * MAX_DOCUMENTS;
    this.#end = (space + 1) * MAX_DOCUMENTS;
  }

  get index(): TermIndex {
    return this.#index;
  }

  get byteLength(): number {
    return SPACE_OVERHEAD_BYTES + this.#index.byteLength + this.#scopes.calculatedSize;
  }

  change({ number, reindexed }: DocumentChange): void {
    this.#pending.set(number, reindexed || this.#pending.get(number) === true);
  }

  /**
   * Loads documents and applies changes until the deadline. Processes at least one document. Returns `true` if the index is up to
   * date.
   *
   * @param deadline time in milliseconds on the clock of `performance.now`.
   */
  update(deadline: number): boolean {
    if (this.#index.deleted > MAX_DELETED && this.#index.deleted * 2 > this.#index.size)
      this.#restart();
    if (this.#cursor !== null) this.#load(this.#cursor, deadline);
    if (this.#cursor !== null) return false;
    if (this.#changed.length > MAX_CHANGES) {
      this.#scopes.clear();
      this.#changed = [];
    }
    for (const [number, reindexed] of this.#pending) {
      this.#pending.delete(number);
      this.#apply(number, reindexed);
      if (performance.now() > deadline) break;
    }
    return this.#pending.size === 0;
  }

  /** Returns the passages of a scope. The index must be up to date. */
  visible(selects: ScopeSelects): VisiblePassages {
    const key = keyOf(selects.documents);
    const cached = this.#scopes.get(key);
    if (cached !== undefined && this.#changed.length - cached.seen <= MAX_CHANGED) {
      this.#refresh(cached, selects.among);
      return cached.visible;
    }
    const { sql, parameters } = selects.documents;
    const statement = this.#db.prepare(sql);
    statement.setReturnArrays(true);
    const rows = statement.iterate(...parameters) as Iterable<unknown> as Iterable<[number]>;
    const visible = passagesOf(this.#index, firstColumn(rows));
    this.#scopes.set(key, { visible, seen: this.#changed.length });
    return visible;
  }

  #refresh(scope: CachedScope, { sql, parameters }: Select): void {
    const slots = new Set(this.#changed.slice(scope.seen));
    scope.seen = this.#changed.length;
    if (slots.size === 0) return;
    const live = [...slots].filter((slot) => this.#index.isLive(slot));
    const numbers = JSON.stringify(live.map((slot) => this.#index.document(slot).number));
    const { rows } = this.#statements.others.run(sql, [numbers, ...parameters.slice(1)]);
    const permitted = new Set(rows.map((row) => row['number']));
    for (const slot of slots) {
      const document = this.#index.document(slot);
      const visible = this.#index.isLive(slot) && permitted.has(document.number);
      scope.visible.set(document, visible);
    }
  }

  #load(after: number, deadline: number): void {
    const { rows } = this.#statements;
    const found = rows.iterate(after, this.#end, this.#spaceId) as Iterable<unknown>;
    let number = after;
    let chunks: Uint8Array[] = [];
    for (const [next, terms] of found as Iterable<[number, Uint8Array]>) {
      if (next !== number) {
        if (chunks.length > 0) this.#index.add(number, chunks);
        chunks = [];
        if (number !== after && performance.now() > deadline) {
          this.#cursor = number;
          return;
        }
        number = next;
      }
      chunks.push(terms);
    }
    if (chunks.length > 0) this.#index.add(number, chunks);
    this.#cursor = null;
  }

  #apply(number: number, reindexed: boolean): void {
    const known = this.#index.slotOf(number);
    const isReady = this.#statements.isReady.get(number, this.#spaceId) !== undefined;
    if (known !== null) {
      this.#changed.push(known);
      if (isReady && !reindexed) return;
      this.#index.delete(number);
    }
    if (!isReady) return;
    const rows = this.#statements.rowsOfDocument.all(...rowidsOfDocument(number));
    const slot = this.#index.add(
      number,
      rows.map(({ terms }) => terms as Uint8Array),
    );
    this.#changed.push(slot);
  }

  #restart(): void {
    this.#index = new TermIndex();
    this.#scopes.clear();
    this.#changed = [];
    this.#pending.clear();
    this.#cursor = this.#end - MAX_DOCUMENTS;
  }
}

function keyOf({ sql, parameters }: Select): string {
  return JSON.stringify([
    sql,
    ...parameters.map((value) => (typeof value === 'bigint' ? { bigint: String(value) } : value)),
  ]);
}

function* firstColumn(rows: Iterable<readonly [number]>): Iterable<number> {
  for (const [number] of rows) yield number;
}
