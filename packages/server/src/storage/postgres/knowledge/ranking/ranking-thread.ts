import { workerData } from 'node:worker_threads';
import type { Query } from '../../../../lib/text/index.ts';
import { answering, type Step } from '../../../../lib/threads/index.ts';
import { LoadedSpaces, searchSpace } from '../../../full-text/loaded-spaces/index.ts';
import { Scratch } from '../../../full-text/ranking/index.ts';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import { openPool, type Session } from '../../pool.ts';
import { retryRead } from '../../retry.ts';
import { BEGIN } from '../reads.ts';
import { CompiledFilters } from '../scope/compiled-filters.ts';
import { scopeReads } from '../scope/scope-reads.ts';
import type { ScopeSelects } from '../scope/scope-selects.ts';
import { ChangeLog } from './change-log.ts';
import { spaceReads } from './stored-terms.ts';

export interface RankingQuestion {
  readonly scope: ScopeSelects;
  readonly query: Query;
  readonly limit: number;
}

/**
 * `null`: the space is still being loaded, or the scope is still being evaluated. `'scope'`: the scope is not cached, and the
 * caller must ask again with `ScopeSelects.candidates`.
 */
export type RankingAnswer = readonly RankedPassage[] | 'scope' | null;

const { url } = workerData as { readonly url: string };
// Errors of idle connections are ignored, because the next question replaces a broken connection.
const pool = openPool({ url, connections: 1, onError: () => {} });
const log = new ChangeLog();
const spaces = new LoadedSpaces();
const scratch = new Scratch();
const compiled = new CompiledFilters();

answering(
  async (question: RankingQuestion, step): Promise<RankingAnswer> => {
    try {
      return await retryRead(() => pool.hold((session) => answer(session, question, step)));
    } finally {
      spaces.evict(question.scope.spaceId);
    }
  },
  { waits: true },
);

async function answer(
  session: Session,
  { scope, query, limit }: RankingQuestion,
  step: Step,
): Promise<RankingAnswer> {
  compiled.startTimer();
  const { spaceId } = scope;
  // The changes, the scope and the passages are read from the same snapshot.
  await session.run(`${BEGIN}; set local enable_seqscan = off; set local enable_bitmapscan = off`);
  spaces.record(await log.next(session));
  const space = spaces.get(spaceId);
  const reads = scopeReads(session, scope, compiled);
  let found: RankingAnswer = null;
  step.isShared = true;
  if (await space.update(spaceReads(session, spaceId), step)) {
    step.isShared = false;
    if (scope.candidates === null && !space.hasScope(reads.key)) found = 'scope';
    else found = await searchSpace(space, reads, query, limit, scratch, step);
  }
  await session.run('commit');
  return found;
}
