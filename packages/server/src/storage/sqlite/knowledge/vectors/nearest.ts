import { type RawBuilder, sql } from 'kysely';
import type { AskThread } from '../../../../lib/threads/index.ts';
import { FOUND_DOCUMENT } from '../../../full-text/found-document.ts';
import type { KnowledgeDatabase, KnowledgeEngine } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import type { Select } from '../../reads/select-thread.ts';
import { toSqlite } from '../../statements.ts';
import { permits, permitsRow } from '../permits.ts';
import { MAX_PASSAGES } from '../rowids.ts';
import type { NearestAnswer, NearestQuestion } from './nearest-thread.ts';

export type NearestThread = AskThread<NearestQuestion, NearestAnswer>;

const PER_DOCUMENT = sql.lit(MAX_PASSAGES);
/** Initial value of a parameter that the thread replaces with a JSON array. */
const PLACEHOLDER = '[]';

/**
 * Creates the nearest-neighbour search. If the space is not in memory, the search waits until the thread has loaded it. Passages
 * outside the scope are never compared.
 */
export function createNearest(
  db: KnowledgeDatabase,
  thread: NearestThread,
): KnowledgeEngine['nearest'] {
  const select = (query: RawBuilder<unknown>): Select => {
    const { sql: text, parameters } = query.compile(db);
    return { sql: text, parameters: toSqlite(parameters) };
  };

  return async (scope, { model, vector }, limit, signal) => {
    const question = {
      spaceId: scope.spaceId,
      scope: {
        documents: select(documentsOf(scope)),
        among: select(documentsAmong(scope)),
        passages: select(passagesOf(scope)),
      },
      model,
      vector,
      limit,
    };
    return thread.ask(question, scope, signal);
  };
}

function documentsOf(scope: KnowledgeScope) {
  return sql`select documents.number from documents
    where documents.space_id = ${scope.spaceId} and documents.state = 'ready' and ${permits(scope)}`;
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
    select ${FOUND_DOCUMENT},
      near.value ->> 'position' as position, passages.heading, passages.text, near.key as rank
    from json_each(${PLACEHOLDER}) as near
    cross join documents on documents.number = near.value ->> 'number'
    cross join passages on passages.id
      = documents.number * ${PER_DOCUMENT} + (near.value ->> 'position')
    where ${isVisible(scope)}
    order by near.key`;
}

function isVisible(scope: KnowledgeScope): RawBuilder<boolean> {
  return sql<boolean>`documents.space_id = ${scope.spaceId} and documents.state = 'ready' and ${permitsRow(scope)}`;
}
