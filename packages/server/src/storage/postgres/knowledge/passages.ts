import { sql } from 'kysely';
import type { KnowledgeEngine, StoredPassage } from '../../ports/knowledge-engine.ts';
import type { Reads } from './reads.ts';
import { visible } from './scope-documents.ts';

export function createPassageReads(reads: Reads): KnowledgeEngine['passages'] {
  return (scope, documentId, from, limit) =>
    reads.in(scope, (reading) =>
      reading.rows<StoredPassage>(sql`
        select found.position, found.heading, found.text
        from documents
        cross join lateral (
          select position, heading, text from passages
          where passages.space_id = ${scope.spaceId} and passages.document = documents.number
            and passages.position >= ${Math.max(0, from)}::bigint
          order by position
          limit ${limit}::bigint
        ) as found
        where documents.id = ${documentId} and ${visible(scope)}
        order by found.position`),
    );
}
