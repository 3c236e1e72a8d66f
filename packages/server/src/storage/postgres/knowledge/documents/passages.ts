import { type RawBuilder, sql } from 'kysely';
import type { KnowledgeEngine, StoredPassage } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import type { Reads } from '../reads.ts';
import { mayBeVisible, mayPermit } from '../scope/scope-documents.ts';
import { readTested, type TestedReadThread, testedDocuments } from './tested-reads.ts';

export function createPassageReads(
  db: KnowledgeDatabase,
  reads: Reads,
  thread: TestedReadThread,
): KnowledgeEngine['passages'] {
  return (scope, documentId, from, limit) => {
    const isFound = sql`documents.id = ${documentId} and ${mayBeVisible(scope)}`;
    const passages = (documents: RawBuilder<unknown>) => sql`
      select found.position, found.heading, found.text
      from ${documents} as documents
      cross join lateral (
        select position, heading, text from passages
        where passages.space_id = ${scope.spaceId} and passages.document = documents.number
          and passages.position >= ${Math.max(0, from)}::bigint
        order by position
        limit ${limit}::bigint
      ) as found
      where ${isFound}
      order by found.position`;
    if (mayPermit(scope).isExact)
      return reads.in(scope, (transaction) =>
        transaction.rows<StoredPassage>(passages(sql`documents`)),
      );
    const candidates = sql`select documents.id, documents.number from documents where ${isFound}`;
    const rows = passages(testedDocuments(scope));
    return readTested(db, scope, { candidates, rows, page: undefined }, thread);
  };
}
