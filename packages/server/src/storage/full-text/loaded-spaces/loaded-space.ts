import type { Step } from '../../../lib/threads/index.ts';
import { TermIndex, type VisiblePassages } from '../ranking/index.ts';
import { EvaluatedScopes } from './evaluated-scopes.ts';
import type { DocumentChange, ScopeReads, SpaceReads } from './reads.ts';

const SPACE_OVERHEAD_BYTES = 16 * 1024;
/** Maximum length of the list of changed documents. A longer list is emptied, and all scopes are evaluated again. */
const MAX_CHANGES = 100_000;
/** A space is loaded again if it has more deleted passages than this number and more than half of its passages are deleted. */
const MAX_DELETED = 50_000;
/** Number of changed documents whose states are read together. */
const CHANGES_PER_READ = 500;

/**
 * The index of a space in memory.
 *
 *     loading ──all documents were read──▶ loaded ──too many deleted passages──▶ loading
 *
 * Changes of documents are recorded in both states and applied after loading, before each search. The methods must not run
 * concurrently. If a read fails, the index remains consistent, and the next call continues.
 */
export class LoadedSpace {
  #index = new TermIndex();
  /** Last document number that was read, or `null` after loading. */
  #cursor: number | null = 0;
  /** Changes that the index does not include yet. Maps each document number to `reindexed`. */
  readonly #pending = new Map<number, boolean>();
  /** Slots of documents that changed after loading. */
  #changed: number[] = [];
  readonly #scopes = new EvaluatedScopes();

  get index(): TermIndex {
    return this.#index;
  }

  get byteLength(): number {
    return SPACE_OVERHEAD_BYTES + this.#index.byteLength + this.#scopes.byteLength;
  }

  change({ number, reindexed }: DocumentChange): void {
    this.#pending.set(number, reindexed || this.#pending.get(number) === true);
  }

  /**
   * Loads documents and applies changes until the step is over. Processes at least one document. Returns `true` if the index is up to
   * date.
   */
  async update(reads: SpaceReads, step: Step): Promise<boolean> {
    if (this.#index.deleted > MAX_DELETED && this.#index.deleted * 2 > this.#index.size)
      this.#restart();
    if (this.#cursor !== null) await this.#load(reads, this.#cursor, step);
    if (this.#cursor !== null) return false;
    if (this.#changed.length > MAX_CHANGES) {
      this.#scopes.clear();
      this.#changed = [];
    }
    await this.#applyPending(reads, step);
    return this.#pending.size === 0;
  }

  /** Reports whether `visible` can return a scope without a call of `candidates`. */
  hasScope(key: string): boolean {
    return this.#scopes.has(key, this.#changed.length);
  }

  /** Returns the passages of a scope; see `EvaluatedScopes.get`. The index must be up to date. */
  visible(scope: ScopeReads, step: Step): Promise<VisiblePassages | null> {
    return this.#scopes.get(this.#index, this.#changed, scope, step);
  }

  async #load(reads: SpaceReads, after: number, step: Step): Promise<void> {
    for await (const { number, chunks } of reads.documents(after)) {
      this.#index.add(number, chunks);
      this.#cursor = number;
      if (step.isOver) return;
    }
    this.#cursor = null;
  }

  async #applyPending(reads: SpaceReads, step: Step): Promise<void> {
    while (this.#pending.size > 0) {
      const some = [...this.#pending.entries().take(CHANGES_PER_READ)];
      const ready = new Set(await reads.readyAmong(some.map(([number]) => number)));
      for (const [number, reindexed] of some) {
        await this.#apply(reads, number, reindexed, ready.has(number));
        if (step.isOver) return;
      }
    }
  }

  async #apply(
    reads: SpaceReads,
    number: number,
    reindexed: boolean,
    isReady: boolean,
  ): Promise<void> {
    const known = this.#index.slotOf(number);
    const isKept = known !== null && isReady && !reindexed;
    const chunks = isReady && !isKept ? await reads.termsOf(number) : [];
    this.#pending.delete(number);
    if (known !== null) this.#changed.push(known);
    if (isKept) return;
    this.#index.delete(number);
    if (isReady) this.#changed.push(this.#index.add(number, chunks));
  }

  #restart(): void {
    this.#index = new TermIndex();
    this.#scopes.clear();
    this.#changed = [];
    this.#pending.clear();
    this.#cursor = 0;
  }
}
