import type { Query } from '../../../../lib/text/index.ts';
import { LoadedSpace, searchSpace } from '../../../full-text/loaded-spaces/index.ts';
import { Scratch } from '../../../full-text/ranking/index.ts';
import { LoadedSpaces } from '../../../in-memory/index.ts';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import { limitTime, serveReads } from '../../reads/reader-thread.ts';
import { Statements } from '../../statements.ts';
import type { ScopeSelects } from '../scope-selects.ts';
import { ScopeStatements } from '../scope-statements.ts';
import { ChangeLog } from './change-log.ts';
import { prepareSpaceReads } from './stored-terms.ts';

export interface RankingRequest {
  readonly spaceId: string;
  readonly selects: ScopeSelects;
  readonly query: Query;
  readonly limit: number;
}

/** `null`: the space is still being loaded, or the scope is still being evaluated. */
export type RankingResult = readonly RankedPassage[] | null;

serveReads((db) => {
  const log = new ChangeLog(db);
  const spaces = new LoadedSpaces<LoadedSpace>();
  const readsOf = prepareSpaceReads(db);
  const statements = new Statements(db);
  const scratch = new Scratch();
  const startTimer = limitTime(db);
  return async (
    { spaceId, selects, query, limit }: RankingRequest,
    step,
  ): Promise<RankingResult> => {
    startTimer();
    // The changes, the scope and the passages are read from the same snapshot.
    db.exec('begin');
    try {
      spaces.record(log.next());
      const space = spaces.get(spaceId, () => new LoadedSpace());
      step.isShared = true;
      if (!(await space.update(readsOf(spaceId), step))) return null;
      step.isShared = false;
      const scope = new ScopeStatements(db, statements, selects);
      return await searchSpace(space, scope, query, limit, scratch, step);
    } finally {
      db.exec('commit');
      spaces.evict(spaceId);
    }
  };
});
