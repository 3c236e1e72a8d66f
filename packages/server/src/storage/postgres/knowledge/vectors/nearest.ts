import type { KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { askInScope, type SearchThread } from '../scope/ask-in-scope.ts';
import type { NearestQuestion } from './nearest-thread.ts';

export type NearestThread = SearchThread<NearestQuestion>;

/**
 * Creates the nearest-neighbour search. If the space is not in memory, the search waits until the thread has loaded it. Passages
 * outside the scope are never compared.
 */
export function createNearest(
  db: KnowledgeDatabase,
  thread: NearestThread,
): KnowledgeEngine['nearest'] {
  return (scope, { model, vector }, limit, signal) =>
    askInScope(thread, db, scope, { model, vector, limit }, signal);
}
