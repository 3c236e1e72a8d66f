import { LRUCache } from 'lru-cache';
import { type Step, StorageTooSlow } from '../../lib/threads/index.ts';
import type { DocumentItems, DocumentTable, VisibleItems } from './document-table.ts';
import { EvaluatedScope } from './evaluated-scope.ts';
import type { ScopeDocuments } from './reads.ts';

/** Maximum size of a space's cached scopes in bytes. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
/** Maximum size of a space's unfinished scopes in bytes. Above this size, the evaluation of another scope is not started. */
const MAX_UNFINISHED_BYTES = 16 * 1024 * 1024;
const OVERHEAD_BYTES = 2048;
/** Maximum number of changes since the last use of a cached scope. After more changes, the scope is evaluated again. */
const MAX_CHANGED = 5000;
/** If an unfinished scope has no step for this many milliseconds, its search counts as cancelled. */
const CANCELLED_AFTER_MS = 5000;

interface UnfinishedScope<Scope> {
  readonly scope: Scope;
  readonly byteLength: number;
  /** Time of the last step on the clock of `performance.now`. */
  advancedAt: number;
}

/** The evaluated scopes of one space in memory. */
export class EvaluatedScopes<
  Items extends DocumentItems,
  Table extends DocumentTable<Items>,
  Visible extends VisibleItems<Items>,
> {
  readonly #visibleAmong: (table: Table, numbers: Iterable<number>) => Visible;
  readonly #cached = new LRUCache<string, EvaluatedScope<Items, Visible>>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: sizeOf,
  });
  /** Ordered by start, oldest first. */
  readonly #unfinished = new Map<string, UnfinishedScope<EvaluatedScope<Items, Visible>>>();
  #unfinishedBytes = 0;

  /** @param visibleAmong creates a set of the items of the documents with the given numbers. Ignores unknown numbers. */
  constructor(visibleAmong: (table: Table, numbers: Iterable<number>) => Visible) {
    this.#visibleAmong = visibleAmong;
  }

  get byteLength(): number {
    return this.#cached.calculatedSize + this.#unfinishedBytes;
  }

  clear(): void {
    this.#cached.clear();
    this.#unfinished.clear();
    this.#unfinishedBytes = 0;
  }

  /** Reports whether the evaluation of a scope has started, so that `get` does not read its candidates. */
  has(key: string, changes: number): boolean {
    const cached = this.#cached.get(key);
    return this.#unfinished.has(key) || (cached !== undefined && isRecent(cached, changes));
  }

  /**
   * Returns the visible items of a scope, or `null` if the step was over before the scope was evaluated. The next call continues the
   * evaluation. The table must be up to date.
   *
   * @param changed slots of all documents that changed after loading, in order.
   * @throws StorageTooSlow if too many scopes are unfinished.
   */
  async get(
    table: Table,
    changed: readonly number[],
    reads: ScopeDocuments,
    step: Pick<Step, 'isOver'>,
  ): Promise<Visible | null> {
    const { key } = reads;
    const cached = this.#cached.get(key);
    if (cached !== undefined) {
      if (cached.seen === changed.length) return cached.visible;
      this.#cached.delete(key);
      if (isRecent(cached, changed.length)) this.#addUnfinished(key, cached);
    }
    let unfinished = this.#unfinished.get(key);
    if (unfinished === undefined) {
      this.#makeRoom();
      const candidates = this.#visibleAmong(table, await reads.candidates());
      const scope = new EvaluatedScope(table, candidates, reads.isExact, changed.length);
      unfinished = this.#addUnfinished(key, scope);
    }
    if (!(await unfinished.scope.advance(changed, reads, step))) {
      unfinished.advancedAt = performance.now();
      return null;
    }
    this.#removeUnfinished(key, unfinished);
    this.#cached.set(key, unfinished.scope);
    return unfinished.scope.visible;
  }

  /** Forgets scopes whose searches were probably cancelled. Throws `StorageTooSlow` if too many searches are unfinished. */
  #makeRoom(): void {
    if (this.#unfinishedBytes <= MAX_UNFINISHED_BYTES) return;
    const now = performance.now();
    for (const [key, unfinished] of this.#unfinished)
      if (now - unfinished.advancedAt > CANCELLED_AFTER_MS) this.#removeUnfinished(key, unfinished);
    if (this.#unfinishedBytes > MAX_UNFINISHED_BYTES) throw new StorageTooSlow();
  }

  #addUnfinished(
    key: string,
    scope: EvaluatedScope<Items, Visible>,
  ): UnfinishedScope<EvaluatedScope<Items, Visible>> {
    const byteLength = sizeOf(scope, key);
    const unfinished = { scope, byteLength, advancedAt: performance.now() };
    this.#unfinished.set(key, unfinished);
    this.#unfinishedBytes += byteLength;
    return unfinished;
  }

  #removeUnfinished(key: string, { byteLength }: { readonly byteLength: number }): void {
    this.#unfinished.delete(key);
    this.#unfinishedBytes -= byteLength;
  }
}

function isRecent({ seen }: { readonly seen: number }, changes: number): boolean {
  return changes - seen <= MAX_CHANGED;
}

function sizeOf(
  { visible }: { readonly visible: { readonly byteLength: number } },
  key: string,
): number {
  return visible.byteLength + 2 * key.length + OVERHEAD_BYTES;
}
