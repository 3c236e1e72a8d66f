import { type RawBuilder, sql } from 'kysely';
import type { AskThread } from '../../../../lib/threads/index.ts';
import { FOUND_DOCUMENT } from '../../../full-text/found-document.ts';
import type {
  KnowledgeDatabase,
  KnowledgeEngine,
  QueryVector,
  RankedPassage,
} from '../../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import type { Near } from '../../../vectors/nearest-sketches.ts';
import type { Select } from '../../reads/select-thread.ts';
import { toSqlite } from '../../statements.ts';
import type { ReadFor } from '../passages.ts';
import { permits } from '../permits.ts';
import { MAX_DOCUMENTS, MAX_PASSAGES } from '../rowids.ts';
import type { NearestQuestion } from './nearest-thread.ts';

export type NearestThread = AskThread<NearestQuestion, readonly Near[]>;

const PER_DOCUMENT = sql.lit(MAX_PASSAGES);
const PER_SPACE = sql.lit(MAX_PASSAGES * MAX_DOCUMENTS);

/** Up to this number of documents, looking up vectors per document is faster than scanning the space. */
const FEW_DOCUMENTS = 1000;

/**
 * Creates the vector search. The queries for sketches apply the scope, so documents outside the scope are never
 * compared. The query for texts applies the scope again, because documents may have changed in between.
 */
export function createNearest(
  db: KnowledgeDatabase,
  readFor: ReadFor,
  thread: NearestThread,
): KnowledgeEngine['nearest'] {
  const select = (query: RawBuilder<unknown>): Select => {
    const { sql: text, parameters } = query.compile(db);
    return { sql: text, parameters: toSqlite(parameters) };
  };

  return async (scope, query, limit, signal) => {
    const question = {
      documents: select(documentsOf(scope)),
      byDocument: select(sketchesByDocument(scope, query)),
      bySpace: select(sketchesOfSpace(scope, query)),
      fewDocuments: FEW_DOCUMENTS,
      vector: query.vector,
      limit,
    };
    const near = await thread.ask(question, scope, signal);
    if (near.length === 0) return [];
    const { sql: text, parameters } = select(passagesOf(scope, near));
    return (await readFor(scope, signal)(text, parameters)).rows as unknown as RankedPassage[];
  };
}

function visible(scope: KnowledgeScope): RawBuilder<boolean> {
  return sql<boolean>`documents.space_id = ${scope.spaceId} and documents.state = 'ready' and ${permits(scope)}`;
}

function documentsOf(scope: KnowledgeScope) {
  return sql`select 1 from documents where ${visible(scope)} limit ${FEW_DOCUMENTS + 1}`;
}

function comparable({ model, vector }: QueryVector): RawBuilder<boolean> {
  return sql<boolean>`document_sketches.model = ${model} and document_sketches.dimensions = ${vector.length}`;
}

function sketchesByDocument(scope: KnowledgeScope, query: QueryVector) {
  return sql`
    select documents.number, document_sketches.id % ${PER_DOCUMENT}, document_sketches.sketches
    from documents
    cross join document_sketches on document_sketches.id
      between documents.number * ${PER_DOCUMENT} and documents.number * ${PER_DOCUMENT} + ${PER_DOCUMENT} - 1
    where ${visible(scope)} and ${comparable(query)}`;
}

/** Scans both tables sequentially. For all documents of a large space, a scan is four times as fast as lookups. */
function sketchesOfSpace(scope: KnowledgeScope, query: QueryVector) {
  const space = sql`select number from knowledge_spaces where space_id = ${scope.spaceId}`;
  return sql`
    select documents.number, document_sketches.id % ${PER_DOCUMENT}, document_sketches.sketches
    from document_sketches
    cross join documents on documents.number = document_sketches.id / ${PER_DOCUMENT}
    where document_sketches.id between (${space}) * ${PER_SPACE} and (${space}) * ${PER_SPACE} + ${PER_SPACE} - 1
      and ${visible(scope)} and ${comparable(query)}`;
}

function passagesOf(scope: KnowledgeScope, near: readonly Near[]) {
  return sql`
    select ${FOUND_DOCUMENT},
      near.value ->> 'position' as position, passages.heading, passages.text,
      near.value ->> 'score' as score
    from json_each(${JSON.stringify(near)}) as near
    cross join documents on documents.number = near.value ->> 'number'
    cross join passages on passages.id
      = documents.number * ${PER_DOCUMENT} + (near.value ->> 'position')
    where ${visible(scope)}
    order by near.key`;
}
