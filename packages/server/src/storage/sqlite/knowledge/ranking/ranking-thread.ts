import { containsPhrases, type Query } from '../../../../lib/text/index.ts';
import { titleText } from '../../../full-text/indexed-passage.ts';
import { groupsOf, type RankedOrdinal, rank, Scratch } from '../../../full-text/ranking/index.ts';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import { answerQuestions, limitTime } from '../../reads/reader-thread.ts';
import type { Select } from '../../reads/select-thread.ts';
import { Statements } from '../../statements.ts';
import type { LoadedSpace, ScopeSelects } from './loaded-space.ts';
import { LoadedSpaces } from './loaded-spaces.ts';

export interface RankingQuestion {
  readonly spaceId: string;
  readonly scope: ScopeSelects;
  /**
   * Selects passages and the indexed titles of their documents. The first parameter is a JSON array of `PassageKey`s. The query
   * applies the scope again.
   */
  readonly passages: Select;
  readonly query: Query;
  readonly limit: number;
}

export interface PassageKey {
  readonly number: number;
  readonly position: number;
  readonly score: number;
}

/** `null`: the space is still being loaded, and the caller must ask again. */
export type RankingAnswer = readonly RankedPassage[] | null;

/** Maximum duration of a loading step in milliseconds. Between steps, the thread answers questions about other spaces. */
const STEP_MS = 25;
/** Maximum number of passages in which a search checks for phrases, best first. Checking a passage takes about 30 µs. */
const MAX_VERIFIED = 10_000;

answerQuestions((db) => {
  const spaces = new LoadedSpaces(db);
  const statements = new Statements(db);
  const scratch = new Scratch();
  const startTimer = limitTime(db);
  return (question: RankingQuestion): RankingAnswer => {
    startTimer();
    // The changes, the scope and the passages are read from the same snapshot.
    db.exec('begin');
    try {
      const space = spaces.get(question.spaceId);
      if (space === null) return [];
      if (!space.update(performance.now() + STEP_MS)) return null;
      return search(statements, space, question, scratch);
    } finally {
      db.exec('commit');
      spaces.evict(question.spaceId);
    }
  };
});

function search(
  statements: Statements,
  space: LoadedSpace,
  { scope, passages, query, limit }: RankingQuestion,
  scratch: Scratch,
): readonly RankedPassage[] {
  const { index } = space;
  const visible = space.visible(scope);
  const isPhrase = query.phrases.length > 0;
  const ranked = rank(
    index,
    visible,
    groupsOf(index, query),
    isPhrase ? Math.max(limit, MAX_VERIFIED) : limit,
    scratch,
  );
  const keys = ranked.map((one) => toKey(space, one));
  const found: RankedPassage[] = [];
  for (let from = 0; from < keys.length && found.length < limit; from += limit) {
    const some = keys.slice(from, from + limit);
    for (const row of read(statements, passages, some))
      if (!isPhrase || matchesPhrases(row, query)) found.push(toRanked(row, some));
  }
  return found.slice(0, limit);
}

function matchesPhrases(row: PassageRow, { phrases }: Query): boolean {
  const title = titleText({ fileName: row.fileName, title: row.indexedTitle });
  return containsPhrases([title, row.heading ?? '', row.text], phrases);
}

function toKey({ index }: LoadedSpace, { ordinal, score }: RankedOrdinal): PassageKey {
  const { number, first } = index.documentOf(ordinal);
  return { number, position: ordinal - first, score };
}

interface PassageRow extends Omit<RankedPassage, 'score'> {
  /** Title in the file, which is indexed with every passage. */
  readonly indexedTitle: string | null;
  /** Index of the passage's key. */
  readonly rank: number;
}

function read(
  statements: Statements,
  { sql, parameters }: Select,
  keys: readonly PassageKey[],
): readonly PassageRow[] {
  if (keys.length === 0) return [];
  const { rows } = statements.run(sql, [JSON.stringify(keys), ...parameters.slice(1)]);
  return rows as unknown as readonly PassageRow[];
}

/** Takes the score from the key instead of the row, because SQLite may round numbers. */
function toRanked(
  { indexedTitle: _, rank: at, ...passage }: PassageRow,
  keys: readonly PassageKey[],
): RankedPassage {
  return { ...passage, score: keys[at]?.score ?? 0 };
}
