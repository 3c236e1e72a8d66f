import { LoadedSpaces } from '../../../in-memory/index.ts';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import { LoadedSketches, nearestInSpace } from '../../../vectors/loaded/index.ts';
import { limitTime, serveReads } from '../../reads/reader-thread.ts';
import { Statements } from '../../statements.ts';
import { ChangeLog } from '../ranking/change-log.ts';
import type { ScopeSelects } from '../scope-selects.ts';
import { ScopeStatements } from '../scope-statements.ts';
import { prepareSketchReads } from './stored-sketches.ts';

export interface NearestRequest {
  readonly spaceId: string;
  readonly selects: ScopeSelects;
  readonly model: string;
  readonly vector: Float32Array;
  readonly limit: number;
}

/** `null`: the space is still being loaded, or the scope is still being evaluated. */
export type NearestResult = readonly RankedPassage[] | null;

serveReads((db) => {
  const log = new ChangeLog(db);
  const spaces = new LoadedSpaces<LoadedSketches>();
  const readsOf = prepareSketchReads(db);
  const statements = new Statements(db);
  const startTimer = limitTime(db);

  return async (request: NearestRequest, step): Promise<NearestResult> => {
    const { spaceId, selects, model, vector } = request;
    startTimer();
    // The changes, the scope and the passages are read from the same snapshot.
    db.exec('begin');
    try {
      spaces.record(log.next());
      const space = LoadedSketches.in(spaces, spaceId, { model, dimensions: vector.length });
      const reads = readsOf(spaceId);
      step.isShared = true;
      if (!(await space.update(reads, step))) return null;
      step.isShared = false;
      const scope = new ScopeStatements(db, statements, selects);
      return await nearestInSpace(space, reads, scope, request, step);
    } finally {
      db.exec('commit');
      spaces.evict(spaceId);
    }
  };
});
