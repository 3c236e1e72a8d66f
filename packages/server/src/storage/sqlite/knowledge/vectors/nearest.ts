import type { ReadThread } from '../../../../lib/threads/index.ts';
import type { KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { selectsOf } from '../scope-selects.ts';
import type { NearestRequest, NearestResult } from './nearest-thread.ts';

export type NearestThread = ReadThread<NearestRequest, NearestResult>;

/**
 * Creates the nearest-neighbour search. If the space is not in memory, the search waits until the thread has loaded it. Passages
 * outside the scope are never compared.
 */
export function createNearest(
  db: KnowledgeDatabase,
  thread: NearestThread,
): KnowledgeEngine['nearest'] {
  return async (scope, { model, vector }, limit, signal) => {
    const selects = selectsOf(db, scope);
    const request = { spaceId: scope.spaceId, selects, model, vector, limit };
    return thread.read(request, scope, signal);
  };
}
