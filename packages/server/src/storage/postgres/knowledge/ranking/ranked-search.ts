import { type RawBuilder, sql } from 'kysely';
import type { AskThread } from '../../../../lib/threads/index.ts';
import { FOUND_DOCUMENT } from '../../../full-text/found-document.ts';
import type { KnowledgeDatabase, KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import {
  documentByKey,
  likelyDocuments,
  passageByKey,
  rowsOf,
  visible,
} from '../scope-documents.ts';
import type { RankingAnswer, RankingQuestion, Select } from './ranking-thread.ts';

export type RankingThread = AskThread<RankingQuestion, RankingAnswer>;

/** Initial value of a parameter that the thread replaces with an array. */
const PLACEHOLDER: readonly number[] = [];

/** Creates the keyword search. If the space is not in memory, the search waits until the thread has loaded it. */
export function createRankedSearch(
  db: KnowledgeDatabase,
  thread: RankingThread,
): KnowledgeEngine['search'] {
  const select = (query: RawBuilder<unknown>): Select => {
    const { sql: text, parameters } = query.compile(db);
    return { sql: text, parameters };
  };

  return async (scope, query, limit, signal) => {
    const { spaceId } = scope;
    const among = select(documentsAmong(scope));
    const passages = select(passagesOf(scope));
    let documents: Select | null = null;
    for (;;) {
      const question = { spaceId, scope: { documents, among, passages }, query, limit };
      const answer = await thread.ask(question, scope, signal);
      if (answer !== 'scope') return answer;
      documents = select(documentsOf(scope, await likelyDocuments(scope, rowsOf(db))));
    }
  };
}

function documentsOf(scope: KnowledgeScope, likely: RawBuilder<unknown>) {
  return sql`
    select string_agg(int8send(documents.number), ''::bytea) as numbers
    from ${likely} as documents
    where ${visible(scope)}`;
}

function documentsAmong(scope: KnowledgeScope) {
  const document = documentByKey(scope.spaceId, sql`one.number`);
  return sql`
    select documents.number
    from unnest(${PLACEHOLDER}::bigint[]) as one (number)
    cross join lateral (${document}) as documents
    where ${visible(scope)}`;
}

function passagesOf(scope: KnowledgeScope) {
  const document = documentByKey(scope.spaceId, sql`one.document`);
  const passage = passageByKey(scope.spaceId, sql`one.document`, sql`one.position`);
  return sql`
    select ${FOUND_DOCUMENT}, documents.title as "indexedTitle",
      one.position, passages.heading, passages.text, one.place - 1 as rank
    from unnest(${PLACEHOLDER}::bigint[], ${PLACEHOLDER}::int[]) with ordinality as one (document, position, place)
    cross join lateral (${document}) as documents
    cross join lateral (${passage}) as passages
    where ${visible(scope)}
    order by one.place`;
}
