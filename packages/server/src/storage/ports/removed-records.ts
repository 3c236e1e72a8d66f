import { type RawBuilder, sql } from 'kysely';

const BEFORE_SPACE = `(documents.projection_id is null or documents.projection_id not in (
  select removed.id from projections as removed
  where removed.state in ('clearing', 'deleting') and removed.space_id = `;
const AFTER_SPACE = '))';

/**
 * Returns a condition on rows of `documents` that excludes the records of a deleted projection and those of an earlier definition. They are
 * removed in steps after the request that deletes or changes the projection, but must be invisible as soon as its response arrives.
 */
export function isNoRemovedRecord(spaceId: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.raw(BEFORE_SPACE)}${spaceId}${sql.raw(AFTER_SPACE)}`;
}

/** The condition of `isNoRemovedRecord` for a PostgreSQL statement whose first parameter is the space. */
export const IS_NO_REMOVED_RECORD_OF_FIRST = `${BEFORE_SPACE}$1${AFTER_SPACE}`;
