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

export function createAuditRepository(db: Database) {
  return {
    /** Returns entries, newest first, with ids less than `after`. */
    list(
      { spaceId, actor, action, resource, from, to }: AuditQuery,
      after: string | null,
      limit: number,
    ): Promise<AuditRow[]> {
      let query = db.selectFrom('audit_entries').selectAll();
      if (spaceId !== null) query = query.where('resource_space_id', '=', spaceId);
      if (actor !== undefined) query = query.where('actor_id', '=', actor);
      if (action !== undefined) query = query.where('action', '=', action);
      if (resource !== undefined) query = query.where('resource_id', '=', resource);
      if (from !== null) query = query.where('at', '>=', from);
      if (to !== null) query = query.where('at', '<', to);
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
