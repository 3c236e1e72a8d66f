import { type RawBuilder, sql } from 'kysely';
import {
  type DocumentPage,
  type DocumentQuery,
  type KnowledgeEngine,
  ORDERS,
} from '../../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import type { DocumentRow, KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { likelyDocuments, mayPermit, permits, rowsOf } from '../scope/scope-documents.ts';
import { readTested, type TestedReadThread, testedDocuments } from './tested-reads.ts';

/**
 * Creates the reads of documents. If the filter is large, the thread tests documents against the compiled filter.
 *
 * @param scanningFor returns a database for reads that may scan every document.
 */
export function createDocumentReads(
  db: KnowledgeDatabase,
  scanningFor: (scope: KnowledgeScope) => KnowledgeDatabase,
  thread: TestedReadThread,
): KnowledgeEngine['documents'] {
  const likelyOf = (scope: KnowledgeScope, page: DocumentPage | undefined) =>
    // Without a page, the conditions of the query select fewer documents.
    page === undefined ? sql`documents` : likelyDocuments(scope, rowsOf(db));

  return async <Row>(
    scope: KnowledgeScope,
    query: DocumentQuery<Row>,
    page?: DocumentPage,
  ): Promise<Row[]> => {
    const { condition, isExact } = mayPermit(scope);
    const likely = await likelyOf(scope, page);
    const by = ORDERS[page?.order ?? 'oldest'];
    if (!isExact) {
      const candidates = query(from(db, likely, scope).where(condition)).clearSelect();
      const tested = from(db, testedDocuments(scope), scope);
      const rows = query(tested).orderBy('documents.id', by.direction);
      const select = sql`${candidates.select(['documents.id', 'documents.number'])}`;
      return readTested(db, scope, { candidates: select, rows: sql`${rows}`, page }, thread);
    }
    const inScope = from(scanningFor(scope), likely, scope).where(permits(scope));
    if (page === undefined) return query(inScope).execute();
    const { after, count } = page;
    const ordered = inScope.orderBy('documents.id', by.direction).limit(count);
    return query(
      after === null ? ordered : ordered.where('documents.id', by.after, after),
    ).execute();
  };
}

function from(db: KnowledgeDatabase, documents: RawBuilder<unknown>, { spaceId }: KnowledgeScope) {
  return db
    .selectFrom(sql<DocumentRow>`${documents}`.as('documents'))
    .where('documents.space_id', '=', spaceId);
}
