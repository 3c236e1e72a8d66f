import type { DatabaseSync } from 'node:sqlite';
import type { Query } from '../../../../lib/text/index.ts';
import {
  LoadedSpaces,
  type PassageRow,
  type ScopeReads,
  searchSpace,
} from '../../../full-text/loaded-spaces/index.ts';
import { Scratch } from '../../../full-text/ranking/index.ts';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import { answerQuestions, limitTime } from '../../reads/reader-thread.ts';
import type { Select } from '../../reads/select-thread.ts';
import { Statements } from '../../statements.ts';
import { ChangeLog } from './change-log.ts';
import { prepareSpaceReads } from './stored-terms.ts';

export interface RankingQuestion {
  readonly spaceId: string;
  readonly scope: ScopeSelects;
  readonly query: Query;
  readonly limit: number;
}

/** SQL that reads a scope. */
export interface ScopeSelects {
  /** See `ScopeReads.candidates`. */
  readonly candidates: Select;
  readonly isExact: boolean;
  /** Selects the numbers of the ready documents in the scope that are in a JSON array, which is the first parameter. */
  readonly among: Select;
  /** Selects `PassageRow`s. The first parameter is a JSON array of `PassageKey`s. The query applies the scope again. */
  readonly passages: Select;
}

/** `null`: the space is still being loaded, or the scope is still being evaluated. */
export type RankingAnswer = readonly RankedPassage[] | null;

answerQuestions((db) => {
  const log = new ChangeLog(db);
  const spaces = new LoadedSpaces();
  const readsOf = prepareSpaceReads(db);
  const statements = new Statements(db);
  const scratch = new Scratch();
  const startTimer = limitTime(db);
  return async (
    { spaceId, scope, query, limit }: RankingQuestion,
    step,
  ): Promise<RankingAnswer> => {
    startTimer();
    // The changes, the scope and the passages are read from the same snapshot.
    db.exec('begin');
    try {
      spaces.record(log.next());
      const space = spaces.get(spaceId);
      step.isShared = true;
      if (!(await space.update(readsOf(spaceId), step))) return null;
      step.isShared = false;
      const reads = scopeReads(db, statements, scope);
      return await searchSpace(space, reads, query, limit, scratch, step);
    } finally {
      db.exec('commit');
      spaces.evict(spaceId);
    }
  };
});

function scopeReads(
  db: DatabaseSync,
  statements: Statements,
  { candidates, isExact, among, passages }: ScopeSelects,
): ScopeReads {
  const rowsOf = ({ sql, parameters }: Select, list: readonly unknown[]) =>
    statements.run(sql, [JSON.stringify(list), ...parameters.slice(1)]).rows;
  return {
    // Unlike the candidates, this statement contains the whole filter.
    key: keyOf(among),
    candidates: () => selectNumbers(db, candidates),
    isExact,
    documentsAmong: (numbers) => rowsOf(among, numbers).map(({ number }) => Number(number)),
    passages: (keys) => rowsOf(passages, keys) as unknown as readonly PassageRow[],
  };
}

function* selectNumbers(db: DatabaseSync, { sql, parameters }: Select): Generator<number> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  const rows = statement.iterate(...parameters) as Iterable<unknown> as Iterable<[number]>;
  for (const [number] of rows) yield number;
}

function keyOf({ sql, parameters }: Select): string {
  return JSON.stringify([
    sql,
    ...parameters.map((value) => (typeof value === 'bigint' ? { bigint: String(value) } : value)),
  ]);
}
