import { BackgroundWork } from '../../lib/scheduling/index.ts';
import type {
  JobWork,
  KnowledgeEngine,
  Term,
  UnembeddedChunk,
  VectorIndex,
} from '../../storage/ports/index.ts';
import type { Embedder } from './embedder.ts';

/** How many small documents may share a request. */
const DOCUMENTS_AT_ONCE = 16;
/** Nobody waits, and a model without a graphics card takes its time for 32 passages. */
const TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

export interface EmbeddingDeps {
  readonly engine: Pick<KnowledgeEngine, 'vectors'>;
  readonly embedder: Embedder;
  /** The model or the disk failed; it is tried again. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Has vectors made for documents that are ready, for one term of its job. Which ones lack some stands in the store, so
 * that a crash loses at most one request's work. Made twice, by a process that was paused, they are the same.
 *
 * After a failure it waits, longer each time, and goes on with single documents, so that one that the
 * model refuses keeps none of the others back: it is passed over, and tried again after all others.
 */
export class Embedding implements JobWork {
  readonly #term: Term;
  readonly #vectors: VectorIndex;
  readonly #embedder: Embedder;
  readonly #onFailure: (error: unknown) => void;
  readonly #work = new BackgroundWork({
    step: () => this.#step(),
    onFailure: (error) => this.#pauseAfter(error),
  });
  #queued = false;
  /** Documents up to this number are done or passed over. */
  #after = 0;
  #documentsAtOnce = DOCUMENTS_AT_ONCE;
  #failures = 0;

  constructor({ engine, embedder, onFailure }: EmbeddingDeps, term: Term) {
    this.#term = term;
    this.#vectors = engine.vectors;
    this.#embedder = embedder;
    this.#onFailure = onFailure;
  }

  /** There may be something to do. */
  onHint(): void {
    this.#work.wake();
  }

  /** Resolves when nothing is under way any more. */
  stop(): Promise<void> {
    return this.#work.close();
  }

  #pauseAfter(error: unknown): number {
    this.#onFailure(error);
    return Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS);
  }

  /** Whether there was anything to do. */
  async #step(): Promise<boolean> {
    if (!this.#term.isHeld()) return false;
    if (!this.#queued) {
      this.#queued = await this.#vectors.queueOthers(this.#embedder.model);
      return true;
    }
    const { model } = this.#embedder;
    const pieces = await this.#vectors.next(model, this.#after, this.#documentsAtOnce);
    if (pieces.length > 0) {
      await this.#embed(pieces);
      return true;
    }
    if (this.#after === 0) return false;
    this.#after = 0;
    return true;
  }

  async #embed(pieces: readonly UnembeddedChunk[]): Promise<void> {
    try {
      const texts = pieces.flatMap((piece) => piece.texts);
      const vectors =
        texts.length === 0 ? [] : [...(await this.#embedder.embed(texts, TIMEOUT_MS))];
      const embedded = pieces.map(({ texts: own, ...piece }) => ({
        ...piece,
        vectors: vectors.splice(0, own.length),
      }));
      await this.#vectors.insert(this.#embedder.model, embedded);
    } catch (error) {
      const [first] = pieces;
      if (pieces.length === 1 && first !== undefined) this.#after = first.number;
      this.#documentsAtOnce = 1;
      throw error;
    }
    this.#documentsAtOnce = DOCUMENTS_AT_ONCE;
    this.#failures = 0;
  }
}
