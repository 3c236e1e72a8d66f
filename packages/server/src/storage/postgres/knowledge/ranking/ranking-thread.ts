import { workerData } from 'node:worker_threads';
import type { Query } from '../../../../lib/text/index.ts';
import { answering, type Step } from '../../../../lib/threads/index.ts';
import {
  LoadedSpaces,
  type PassageRow,
  type ScopeReads,
  searchSpace,
} from '../../../full-text/loaded-spaces/index.ts';
import { Scratch } from '../../../full-text/ranking/index.ts';
import type { RankedPassage } from '../../../ports/knowledge-engine.ts';
import { openPool, type Session } from '../../pool.ts';
import { retryRead } from '../../retry.ts';
import { BEGIN } from '../reads.ts';
import { ChangeLog } from './change-log.ts';
import { spaceReads } from './stored-terms.ts';

export interface RankingQuestion {
  readonly spaceId: string;
  readonly scope: ScopeSelects;
  readonly query: Query;
  readonly limit: number;
}

export interface Select {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** SQL that reads a scope. */
export interface ScopeSelects {
  /** Selects the numbers of all ready documents in the scope, as one value. `null` if the caller has not built the statement. */
  readonly documents: Select | null;
  /** Selects the numbers of the ready documents in the scope that are in an array, which is the first parameter. */
  readonly among: Select;
  /**
   * Selects `PassageRow`s. The first two parameters are arrays of the numbers and positions of `PassageKey`s. The query applies the
   * scope again.
   */
  readonly passages: Select;
}

/**
 * `null`: the space is still being loaded, or the scope is still being evaluated. `'scope'`: the scope is not cached, and the
 * caller must ask again with `ScopeSelects.documents`.
 */
export type RankingAnswer = readonly RankedPassage[] | 'scope' | null;

const { url } = workerData as { readonly url: string };
// Errors of idle connections are ignored, because the next question replaces a broken connection.
const pool = openPool({ url, connections: 1, onError: () => {} });
const log = new ChangeLog();
const spaces = new LoadedSpaces();
const scratch = new Scratch();

answering(
  async (question: RankingQuestion, step): Promise<RankingAnswer> => {
    try {
      return await retryRead(() => pool.hold((session) => answer(session, question, step)));
    } finally {
      spaces.evict(question.spaceId);
    }
  },
  { waits: true },
);

async function answer(
  session: Session,
  { spaceId, scope, query, limit }: RankingQuestion,
  step: Step,
): Promise<RankingAnswer> {
  // The changes, the scope and the passages are read from the same snapshot.
  await session.run(`${BEGIN}; set local enable_seqscan = off; set local enable_bitmapscan = off`);
  spaces.record(await log.next(session));
  const space = spaces.get(spaceId);
  const reads = scopeReads(session, scope);
  let found: RankingAnswer = null;
  step.isShared = true;
  if (await space.update(spaceReads(session, spaceId), step)) {
    step.isShared = false;
    if (scope.documents === null && !space.hasScope(reads.key)) found = 'scope';
    else found = await searchSpace(space, reads, query, limit, scratch, step);
  }
  await session.run('commit');
  return found;
}

function scopeReads(session: Session, { documents, among, passages }: ScopeSelects): ScopeReads {
  return {
    key: JSON.stringify([among.sql, ...among.parameters]),

    isExact: true,

    async candidates() {
      if (documents === null) throw new Error('the statement for a new scope is missing');
      const { rows } = await session.run(documents.sql, documents.parameters);
      return numbersOf(rows[0]?.['numbers'] as Buffer | null | undefined);
    },

    async documentsAmong(numbers) {
      const { rows } = await session.run(among.sql, [numbers, ...among.parameters.slice(1)]);
      return rows.map(({ number }) => Number(number));
    },

    async passages(keys) {
      const { rows } = await session.run(passages.sql, [
        keys.map(({ number }) => number),
        keys.map(({ position }) => position),
        ...passages.parameters.slice(2),
      ]);
      return rows as unknown as readonly PassageRow[];
    },
  };
}

const BYTES_PER_NUMBER = 8;

/** Reads concatenated results of `int8send`. Document numbers have 47 bits. */
function* numbersOf(bytes: Buffer | null | undefined): Generator<number> {
  if (bytes === null || bytes === undefined) return;
  for (let at = 0; at < bytes.length; at += BYTES_PER_NUMBER)
    yield bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
