import { BackgroundWork } from '../../lib/scheduling/index.ts';
import type {
  JobWork,
  KnowledgeEngine,
  QueryVector,
  Term,
  UnembeddedChunk,
  VectorIndex,
} from '../../storage/ports/index.ts';
import { type Embedder, EmbeddingFailed } from './embedder.ts';

const DOCUMENTS_PER_REQUEST = 16;
/** Timeout for documents in milliseconds. The timeout is long because a model without a GPU is slow. */
const DOCUMENTS_TIMEOUT_MS = 60_000;
/** Timeout for a query in milliseconds. The timeout is short because a user is waiting. */
const QUERY_TIMEOUT_MS = 2000;
/** If the model fails, searches do not call it for this many milliseconds, and its failures are reported once in this time. */
const QUERY_PAUSE_MS = 10_000;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

export interface EmbeddingDeps {
  readonly engine: Pick<KnowledgeEngine, 'vectors'>;
  readonly embedder: Embedder;
  /** Called when the model or the storage fails. The job retries. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Embeds the passages of ready documents during one term of its job. The queue of documents without vectors is stored in
 * the database, so a crash loses at most the work of one request. Embedding a document twice has the same result, so a
 * process that lost its lease may safely finish its work.
 *
 * Spaces take turns, so documents do not wait for those of a space with many. After a failure the job backs off and continues
 * with single documents. A document that the model rejects is skipped and retried after all others.
 */
export class EmbeddingJob implements JobWork {
  readonly #term: Term;
  readonly #vectors: VectorIndex;
  readonly #embedder: Embedder;
  readonly #onFailure: (error: unknown) => void;
  readonly #work = new BackgroundWork({
    step: () => this.#step(),
    onFailure: (error) => this.#pauseAfter(error),
  });
  #queued = false;
  #lastSpace = '';
  /** Number of the last skipped document, by space. */
  readonly #skipped = new Map<string, number>();
  #documentsPerRequest = DOCUMENTS_PER_REQUEST;
  #failures = 0;

  constructor({ engine, embedder, onFailure }: EmbeddingDeps, term: Term) {
    this.#term = term;
    this.#vectors = engine.vectors;
    this.#embedder = embedder;
    this.#onFailure = onFailure;
  }

  onHint(): void {
    this.#work.wake();
  }

  stop(): Promise<void> {
    return this.#work.close();
  }

  #pauseAfter(error: unknown): number {
    this.#onFailure(error);
    return Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, MAX_PAUSE_MS);
  }

  /** Returns `false` if there was nothing to do. */
  async #step(): Promise<boolean> {
    if (!this.#term.isHeld()) return false;
    if (!this.#queued) {
      this.#queued = await this.#vectors.queueStale(this.#embedder.model);
      return true;
    }
    const { model } = this.#embedder;
    const chunks = await this.#vectors.next(model, this.#documentsPerRequest, {
      lastSpace: this.#lastSpace,
      skipped: this.#skipped,
    });
    if (chunks.length > 0) {
      await this.#embed(chunks);
      return true;
    }
    if (this.#skipped.size === 0) return false;
    this.#skipped.clear();
    return true;
  }

  async #embed(chunks: readonly UnembeddedChunk[]): Promise<void> {
    try {
      const texts = chunks.flatMap((chunk) => chunk.texts);
      const vectors =
        texts.length === 0 ? [] : [...(await this.#embedder.embed(texts, DOCUMENTS_TIMEOUT_MS))];
      const embedded = chunks.map(({ texts: own, ...chunk }) => ({
        ...chunk,
        vectors: vectors.splice(0, own.length),
      }));
      await this.#vectors.insert(this.#embedder.model, embedded);
    } catch (error) {
      const [first] = chunks;
      if (chunks.length === 1 && first !== undefined) {
        this.#skipped.set(first.spaceId, first.number);
        this.#lastSpace = first.spaceId;
      }
      this.#documentsPerRequest = 1;
      throw error;
    }
    this.#lastSpace = chunks.at(-1)?.spaceId ?? '';
    this.#documentsPerRequest = DOCUMENTS_PER_REQUEST;
    this.#failures = 0;
  }
}

/** Returns the vector of a query, or null if the model does not return one in time. */
export type QueryVectors = (text: string) => Promise<QueryVector | null>;

export interface QueryVectorsDeps {
  readonly embedder: Embedder;
  /** Called when the model fails. The search continues without a vector. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates the function. If the model rejects a query, other queries are not affected, because a visitor could send such queries on purpose. */
export function createQueryVectors({ embedder, onFailure }: QueryVectorsDeps): QueryVectors {
  let pausedUntil = 0;
  let reportedUntil = 0;
  return async (text) => {
    if (performance.now() < pausedUntil) return null;
    try {
      const [vector] = await embedder.embed([text], QUERY_TIMEOUT_MS);
      return vector === undefined ? null : { model: embedder.model, vector };
    } catch (error) {
      if (!(error instanceof EmbeddingFailed)) throw error;
      const now = performance.now();
      if (now >= reportedUntil) {
        reportedUntil = now + QUERY_PAUSE_MS;
        onFailure(error);
      }
      if (!error.rejectsTexts) pausedUntil = now + QUERY_PAUSE_MS;
      return null;
    }
  };
}
