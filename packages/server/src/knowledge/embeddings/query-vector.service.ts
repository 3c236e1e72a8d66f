import type { QueryVector } from '../../storage/ports/index.ts';
import { type Embedder, EmbeddingFailed } from './embedder.ts';

/** A person waits. */
const TIMEOUT_MS = 2000;
/** After a failure nobody waits for the model for a while: it would most likely fail them, too. */
const PAUSE_MS = 10_000;

/** The vector of a query; null when there is none to be had in time. */
export type QueryVectors = (text: string) => Promise<QueryVector | null>;

export interface QueryVectorsDeps {
  readonly embedder: Embedder;
  /** The model failed a search, which went on without it. */
  readonly onFailure: (error: unknown) => void;
}

export function createQueryVectors({ embedder, onFailure }: QueryVectorsDeps): QueryVectors {
  let pausedUntil = 0;
  return async (text) => {
    if (performance.now() < pausedUntil) return null;
    try {
      const [vector] = await embedder.embed([text], TIMEOUT_MS);
      return vector === undefined ? null : { model: embedder.model, vector };
    } catch (error) {
      if (!(error instanceof EmbeddingFailed)) throw error;
      // Of many searches that fail together, one speaks for all.
      if (performance.now() >= pausedUntil) onFailure(error);
      pausedUntil = performance.now() + PAUSE_MS;
      return null;
    }
  };
}
