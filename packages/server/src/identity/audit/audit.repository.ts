import { sql } from 'kysely';
import { type AuditRow, type Database, retryConflicts } from '../../storage/ports/index.ts';

export interface AuditQuery {
  /** Null: all spaces and the installation. */
  readonly spaceId: string | null;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly resource?: string | undefined;
  /** Unix milliseconds, inclusive. */
  readonly from: number | null;
  /** Unix milliseconds, exclusive. */
  readonly to: number | null;
}

export type AuditRepository = ReturnType<typeof createAuditRepository>;

const MAX_REMOVED_AT_ONCE = 1000;
/** Maximum difference in milliseconds between the time of an entry and the time in its id. */
const TOLERANCE_MS = 60_000;
const LAST_TIME = 0xffff_ffff_ffff;

export function createAuditRepository(db: Database) {
  return {
    /** Returns entries, newest first, with ids less than `after`. */
    list(
      { spaceId, actor, action, resource, from, to }: AuditQuery,
      after: string | null,
      limit: number,
    ): Promise<AuditRow[]> {
      let query = db.selectFrom('audit_entries').selectAll();
      if (spaceId !== null)
        query =
          resource === undefined
            ? query.where('resource_space_id', '=', spaceId)
            : // The expression prevents the use of an index of the space. The index of the resource finds fewer entries.
              query.where(sql<boolean>`resource_space_id || '' = ${spaceId}`);
      if (actor !== undefined) query = query.where('actor_id', '=', actor);
      if (action !== undefined) query = query.where('action', '=', action);
      if (resource !== undefined) query = query.where('resource_id', '=', resource);
      // Ids start with the time, so the index finds the period. The time of an entry is read after its id.
      if (from !== null)
        query = query.where('at', '>=', from).where('id', '>=', firstId(from - TOLERANCE_MS));
      if (to !== null)
        query = query.where('at', '<', to).where('id', '<', firstId(to + TOLERANCE_MS));
      if (after !== null) query = query.where('id', '<', after);
      return query.orderBy('id', 'desc').limit(limit).execute();
    },

    /** Removes some entries that are older than `before` (Unix milliseconds). Returns `false` if none remain. */
    async removeSomeBefore(before: number): Promise<boolean> {
      const { numAffectedRows = 0n } = await retryConflicts(() =>
        sql`delete from audit_entries where id in (
          select id from audit_entries where at < cast(${before} as bigint)
          order by id limit ${sql.lit(MAX_REMOVED_AT_ONCE)})`.execute(db),
      );
      return numAffectedRows === BigInt(MAX_REMOVED_AT_ONCE);
    },
  };
}

/** Returns the beginning of all UUIDv7 of a time in Unix milliseconds. It precedes them in the order of ids. */
function firstId(time: number): string {
  const digits = Math.min(Math.max(time, 0), LAST_TIME).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
