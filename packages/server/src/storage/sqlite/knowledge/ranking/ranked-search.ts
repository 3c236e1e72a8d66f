import { type RawBuilder, sql } from 'kysely';
import type { AskThread } from '../../../../lib/threads/index.ts';
import { FOUND_DOCUMENT } from '../../../full-text/found-document.ts';
import type { KnowledgeDatabase, KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import type { Select } from '../../reads/select-thread.ts';
import { toSqlite } from '../../statements.ts';
import { mayPermit, permitsRow } from '../permits.ts';
import { MAX_PASSAGES } from '../rowids.ts';
import type { RankingAnswer, RankingQuestion } from './ranking-thread.ts';

export type RankingThread = AskThread<RankingQuestion, RankingAnswer>;

const PER_DOCUMENT = sql.lit(MAX_PASSAGES);
/** Initial value of a parameter that the thread replaces with a JSON array. */
const PLACEHOLDER = '[]';

/** Creates the keyword search. If the space is not in memory, the search waits until the thread has loaded it. */
export function createRankedSearch(
  db: KnowledgeDatabase,
  thread: RankingThread,
): KnowledgeEngine['search'] {
  const select = (query: RawBuilder<unknown>): Select => {
    const { sql: text, parameters } = query.compile(db);
    return { sql: text, parameters: toSqlite(parameters) };
  };

  return async (scope, query, limit, signal) => {
    const { condition, isExact } = mayPermit(scope);
    const question = {
      spaceId: scope.spaceId,
      scope: {
        candidates: select(documentsWith(scope, condition)),
        isExact,
        among: select(documentsAmong(scope)),
        passages: select(passagesOf(scope)),
      },
      query,
      limit,
    };
    return thread.ask(question, scope, signal);
  };
}

function documentsWith({ spaceId }: KnowledgeScope, condition: RawBuilder<boolean>) {
  return sql`select documents.number from documents
    where documents.space_id = ${spaceId} and documents.state = 'ready' and ${condition}`;
}

function documentsAmong(scope: KnowledgeScope) {
  return sql`
    select documents.number
    from json_each(${PLACEHOLDER}) as one
    cross join documents on documents.number = one.value
    where ${isVisible(scope)}`;
}

function passagesOf(scope: KnowledgeScope) {
  return sql`
    select ${FOUND_DOCUMENT}, documents.title as "indexedTitle",
      one.value ->> 'position' as position, passages.heading, passages.text, one.key as rank
    from json_each(${PLACEHOLDER}) as one
    cross join documents on documents.number = one.value ->> 'number'
    cross join passages on passages.id
      = documents.number * ${PER_DOCUMENT} + (one.value ->> 'position')
    where ${isVisible(scope)}
    order by one.key`;
}

function isVisible(scope: KnowledgeScope): RawBuilder<boolean> {
  return sql<boolean>`documents.space_id = ${scope.spaceId} and documents.state = 'ready' and ${permitsRow(scope)}`;
}
