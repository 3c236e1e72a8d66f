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
import type { Near } from '../../../vectors/near.ts';
import type { Reads } from '../reads.ts';
import {
  documentByKey,
  likelyDocuments,
  passageByKey,
  rowsOf,
  visible,
} from '../scope/scope-documents.ts';
import type { NearestQuestion } from './nearest-thread.ts';

export type NearestThread = AskThread<NearestQuestion, readonly Near[]>;

/**
 * Creates the nearest-neighbour search. The scope is applied when sketches are read, so hidden passages are never compared. It is
 * applied again when texts are read, because permissions may have changed in the meantime.
 */
export function createNearest(
  db: KnowledgeDatabase,
  reads: Reads,
  thread: NearestThread,
): KnowledgeEngine['nearest'] {
  return async (scope, query, limit, signal) => {
    const { spaceId } = scope;
    const documents = await likelyDocuments(scope, rowsOf(db));
    const { sql: text, parameters } = sketchesOf(scope, query, documents).compile(db);
    const sketches = { sql: text, parameters };
    const question = { spaceId, sketches, vector: query.vector, limit };
    const near = await thread.ask(question, scope, signal);
    if (near.length === 0) return [];
    return reads.in(
      scope,
      (reading) => reading.rows<RankedPassage>(passagesOf(scope, near)),
      signal,
    );
  };
}

function sketchesOf(
  scope: KnowledgeScope,
  { model, vector }: QueryVector,
  documents: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    select documents.number, kept.position, kept.sketches
    from ${documents} as documents
    cross join lateral (
      select position, sketches from document_sketches
      where document_sketches.space_id = ${scope.spaceId}
        and document_sketches.document = documents.number
        and document_sketches.model = ${model}
        and document_sketches.dimensions = ${vector.length}
      offset 0
    ) as kept
    where ${visible(scope)}`;
}

function passagesOf(scope: KnowledgeScope, near: readonly Near[]): RawBuilder<unknown> {
  const document = documentByKey(scope.spaceId, sql`near.document`);
  const passage = passageByKey(scope.spaceId, sql`near.document`, sql`near.position`);
  return sql`
    select ${FOUND_DOCUMENT},
      near.position, passages.heading, passages.text, near.score
    from unnest(
      ${near.map(({ number }) => number)}::bigint[],
      ${near.map(({ position }) => position)}::int[],
      ${near.map(({ score }) => score)}::float8[]
    ) with ordinality as near (document, position, score, place)
    cross join lateral (${document}) as documents
    cross join lateral (${passage}) as passages
    where ${visible(scope)}
    order by near.place`;
}
