import { type RawBuilder, sql } from 'kysely';

const BEFORE_PROJECTIONS = `((documents.projection_id is null or documents.projection_id not in (
  select removed.id from projections as removed
  where removed.state in ('clearing', 'deleting') and removed.space_id = `;
const BEFORE_ANY_CRAWL = `)) and (not exists (
  select 1 from crawls as removed where removed.state = 'deleting' and removed.space_id = `;
// `crawl/<id>/`, with which the subjects of a crawl's documents start, has 43 characters.
const BEFORE_CRAWLS = `) or documents.subject is null or substr(documents.subject, 1, 43) not in (
  select 'crawl/' || removed.id || '/' from crawls as removed
  where removed.state = 'deleting' and removed.space_id = `;
const END = ')))';

/**
 * Returns a condition on rows of `documents` that excludes the documents of a deleted crawl, the records of a deleted projection and those of
 * an earlier definition. They are removed in steps after the request that deletes or changes the crawl or projection, but must be
 * invisible as soon as its response arrives. The subqueries do not depend on the row, so they are evaluated once per statement.
 */
export function isNotRemoved(spaceId: string): RawBuilder<boolean> {
  const [projections, anyCrawl, crawls, end] = [
    sql.raw(BEFORE_PROJECTIONS),
    sql.raw(BEFORE_ANY_CRAWL),
    sql.raw(BEFORE_CRAWLS),
    sql.raw(END),
  ];
  return sql<boolean>`${projections}${spaceId}${anyCrawl}${spaceId}${crawls}${spaceId}${end}`;
}

/** The condition of `isNotRemoved` for a PostgreSQL statement whose first parameter is the space. */
export const IS_NOT_REMOVED_OF_FIRST = `${BEFORE_PROJECTIONS}$1${BEFORE_ANY_CRAWL}$1${BEFORE_CRAWLS}$1${END}`;
