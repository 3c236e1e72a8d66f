import { selectCreations } from '../../platform/audit/index.ts';
import { type AuditRow, type Database, retryConflicts } from '../../storage/ports/index.ts';

const ENTRIES_AT_ONCE = 100;

/** Audit entries to send as events, in the order in which they were recorded. */
export interface QueuedEntries {
  /** Queued IDs. The entry of an ID may have been removed by retention. */
  readonly ids: readonly string[];
  readonly rows: readonly AuditRow[];
}

/** Creates the repository of the queue that connects the audit with an event log. */
export function createAuditOutboxRepository(db: Database) {
  return {
    async hasSpace(spaceId: string): Promise<boolean> {
      const row = await db
        .selectFrom('spaces')
        .where('id', '=', spaceId)
        .select('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async next(): Promise<QueuedEntries> {
      const queued = await db
        .selectFrom('audit_outbox')
        .select('id')
        .orderBy('number')
        .limit(ENTRIES_AT_ONCE)
        .execute();
      const ids = queued.map(({ id }) => id);
      if (ids.length === 0) return { ids, rows: [] };
      const rows = await db
        .selectFrom('audit_entries')
        .where('id', 'in', ids)
        .selectAll()
        .execute();
      const found = new Set(rows.map(({ id }) => id));
      const others = ids.filter((id) => !found.has(id));
      const creations =
        others.length === 0 ? [] : await selectCreations(db).where('id', 'in', others).execute();
      const byId = new Map([...rows, ...creations].map((row) => [row.id, row]));
      return { ids, rows: ids.flatMap((id) => byId.get(id) ?? []) };
    },

    async remove(ids: readonly string[]): Promise<void> {
      await retryConflicts(() => db.deleteFrom('audit_outbox').where('id', 'in', ids).execute());
    },
  };
}
