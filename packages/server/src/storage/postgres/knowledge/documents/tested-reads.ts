import { type RawBuilder, sql } from 'kysely';
import type { ReadThread } from '../../../../lib/threads/index.ts';
import { type DocumentPage, ORDERS } from '../../../ports/knowledge-engine.ts';
import type { KnowledgeScope } from '../../../ports/knowledge-scope.ts';
import type { KnowledgeDatabase } from '../../../ports/tables/knowledge.ts';
import { documentByKey } from '../scope/scope-documents.ts';
import { PLACEHOLDER, toSelect } from '../scope/scope-selects.ts';
import type { TestedReadRequest, TestedReadResult } from './tested-read-thread.ts';

/** Maximum number of candidates that a step of a paged read selects. */
const PAGE_OF_CANDIDATES = 512;

export type TestedReadThread = ReadThread<TestedReadRequest, TestedReadResult>;

export interface TestedRead {
  /** Selects the IDs and numbers of all documents of the scope that the read selects, and possibly of documents outside the scope. */
  readonly candidates: RawBuilder<unknown>;
  /** Reads from `testedDocuments`. */
  readonly rows: RawBuilder<unknown>;
  readonly page: DocumentPage | undefined;
}

/**
 * Returns a `from` item named `documents` that contains the tested documents. It contains the first parameter of the statement, which the
 * thread replaces.
 */
export function testedDocuments({ spaceId }: KnowledgeScope): RawBuilder<unknown> {
  return sql`(
    select documents.* from unnest(${PLACEHOLDER}::bigint[]) as tested (number)
    cross join lateral (${documentByKey(spaceId, sql`tested.number`)}) as documents
  )`;
}

/** Reads rows of those candidates that a large filter accepts. */
export async function readTested<Row>(
  db: KnowledgeDatabase,
  scope: KnowledgeScope,
  { candidates, rows, page }: TestedRead,
  thread: TestedReadThread,
): Promise<Row[]> {
  const first: TestedReadRequest = {
    spaceId: scope.spaceId,
    filter: JSON.stringify(scope.filter),
    candidates: toSelect(db, candidatesAfter(candidates, page)),
    rows: toSelect(db, rows),
    mostCandidates: page === undefined ? null : PAGE_OF_CANDIDATES,
    after: page?.after ?? ORDERS[page?.order ?? 'oldest'].start,
    count: page?.count ?? null,
  };
  const found: Row[] = [];
  await thread.readInSequence(
    first,
    (result) => {
      found.push(...(result.rows as readonly Row[]));
      if (result.after === null) return null;
      const count = page === undefined ? null : page.count - found.length;
      return { ...first, after: result.after, count };
    },
    scope,
  );
  return found;
}

/** Selects the candidates that follow the last parameter, which is an ID. */
function candidatesAfter(
  candidates: RawBuilder<unknown>,
  page: DocumentPage | undefined,
): RawBuilder<unknown> {
  const limit = page === undefined ? sql`` : sql`limit ${sql.lit(PAGE_OF_CANDIDATES)}`;
  const by = ORDERS[page?.order ?? 'oldest'];
  return sql`select documents.id, documents.number from (${candidates}) as documents
    where documents.id ${sql.raw(by.after)} ${''}
    order by documents.id ${sql.raw(by.direction)} ${limit}`;
}
