import { sql } from 'kysely';
import {
  forgetSomeCreations,
  mayRecordCreation,
  selectCreations,
} from '../../platform/audit/index.ts';
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
/** Maximum difference in milliseconds between the time of an entry and the time in its ID. */
const TOLERANCE_MS = 60_000;
const LAST_TIME = 0xffff_ffff_ffff;

export function createAuditRepository(db: Database) {
  return {
    /** Returns entries, newest first, with IDs less than `after`. Most entries are links that record their creation. */
    async list(query: AuditQuery, after: string | null, limit: number): Promise<AuditRow[]> {
      const page = { query, after, limit };
      // In this order, because a creation may be copied to the other entries in between.
      const creations = isAboutCreations(query) ? await creationsOf(db, page) : [];
      const others = await entriesOf(db, page);
      const byId = new Map([...creations, ...others].map((row) => [row.id, row]));
      const newestFirst = (a: AuditRow, b: AuditRow) => (a.id < b.id ? 1 : -1);
      return [...byId.values()].toSorted(newestFirst).slice(0, limit);
    },

    /** Removes some entries that are older than `before` (Unix milliseconds). Returns `false` if none remain. */
    async removeSomeBefore(before: number): Promise<boolean> {
      // Without the range of IDs, the statement would read all entries, because no index contains the time.
      const { numAffectedRows = 0n } = await retryConflicts(() =>
        sql`delete from audit_entries where id in (
          select id from audit_entries where at < cast(${before} as bigint)
            and id < ${firstId(before + TOLERANCE_MS)}
          order by id limit ${sql.lit(MAX_REMOVED_AT_ONCE)})`.execute(db),
      );
      const someCreationsRemain = await forgetSomeCreations(db, firstId(before));
      return someCreationsRemain || numAffectedRows === BigInt(MAX_REMOVED_AT_ONCE);
    },
  };
}

interface PageOfEntries {
  readonly query: AuditQuery;
  readonly after: string | null;
  readonly limit: number;
}

function isAboutCreations({ action }: AuditQuery): boolean {
  return action === undefined || action === 'link.created';
}

/** Returns the entries that have rows of their own. */
function entriesOf(db: Database, { query: wanted, after, limit }: PageOfEntries) {
  const { spaceId, actor, action, resource, from, to } = wanted;
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
  // IDs start with the time, so the index finds the period. The time of an entry is read after its ID.
  if (from !== null)
    query = query.where('at', '>=', from).where('id', '>=', firstId(from - TOLERANCE_MS));
  if (to !== null) query = query.where('at', '<', to).where('id', '<', firstId(to + TOLERANCE_MS));
  if (after !== null) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** Returns the entries that are recorded in the rows of links. */
function creationsOf(db: Database, { query: wanted, after, limit }: PageOfEntries) {
  const { spaceId, actor, resource, from, to } = wanted;
  let query = selectCreations(db).where(mayRecordCreation);
  if (spaceId !== null)
    query =
      resource === undefined && actor === undefined
        ? query.where('space_id', '=', spaceId)
        : // The expression prevents the use of an index of the space. Other indexes find fewer links.
          query.where(sql<boolean>`space_id || '' = ${spaceId}`);
  if (actor !== undefined) query = query.where('creator_id', '=', actor);
  if (resource !== undefined) query = query.where('id', '=', resource);
  if (from !== null)
    query = query.where('created_at', '>=', from).where('id', '>=', firstId(from - TOLERANCE_MS));
  if (to !== null)
    query = query.where('created_at', '<', to).where('id', '<', firstId(to + TOLERANCE_MS));
  if (after !== null) query = query.where('id', '<', after);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/** Returns the beginning of all UUIDv7 of a time in Unix milliseconds. It precedes them in the order of IDs. */
function firstId(time: number): string {
  const digits = Math.min(Math.max(time, 0), LAST_TIME).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
