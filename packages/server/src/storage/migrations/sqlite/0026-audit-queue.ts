import { sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/** Removes the trigger of installations that do not queue the audit. An earlier release would not create the trigger again. */
export const auditQueue: Migration = {
  up: async (db) => {
    const { rows } = await sql`select 1 from installation where name = 'audit-space'`.execute(db);
    await sql`drop trigger audit_entries_queued`.execute(db);
    if (rows.length > 0)
      await sql`create trigger audit_entries_queued after insert on audit_entries begin
        insert into audit_outbox (id) values (new.id);
      end`.execute(db);
    await sql`delete from installation where name = 'audit-space'`.execute(db);
  },
};
