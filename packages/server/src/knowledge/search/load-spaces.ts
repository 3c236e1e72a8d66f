import { readQuery } from '../../lib/text/index.ts';
import type { KnowledgeEngine } from '../../storage/ports/index.ts';
import { findLargestSpaces } from './largest-spaces.repository.ts';
import { scopeForLoading } from './scope.ts';

/** Minimum number of documents of a space that is loaded at the start. Smaller spaces load within a fraction of a second. */
const MIN_DOCUMENTS = 2000;
const MAX_SPACES = 8;
/** Any query loads the space. */
const QUERY = readQuery('a');

export interface LoadSpacesOptions {
  readonly engine: Pick<KnowledgeEngine, 'db' | 'search'>;
  /** Stops the loading. */
  readonly signal: AbortSignal;
  /** Default 2,000. */
  readonly minDocuments?: number;
}

/**
 * Loads the spaces with the most documents into the memory of the search thread, so that the first searches after a start do not wait
 * for it. The thread loads in short steps between searches. The largest space is loaded last: if the memory is too small for all
 * spaces, the space that was used least recently is dropped. Returns the loaded spaces.
 */
export async function loadLargestSpaces({
  engine: { db, search },
  signal,
  minDocuments = MIN_DOCUMENTS,
}: LoadSpacesOptions): Promise<string[]> {
  const largest = await findLargestSpaces(db, { minDocuments, count: MAX_SPACES });
  const loaded: string[] = [];
  for (const spaceId of largest.reverse()) {
    await search(scopeForLoading(spaceId), QUERY, 1, signal);
    loaded.push(spaceId);
  }
  return loaded;
}
