import { type Kysely, sql } from 'kysely';
import type { Migration } from '../migrate.ts';

/**
 * Links record their creation. An earlier release would not show it in the audit. The creation of existing links is in
 * `audit_entries`.
 */
export const linkCreations: Migration = {
  up: async (db) => {
    for (const column of ['creator_kind', 'creator_id', 'creator_session', 'creator_address'])
      await sql.raw(`alter table links add column ${column} text`).execute(db);
    await sql`alter table links add column has_permission_filter integer`.execute(db);
    await sql`create index links_creator on links (creator_id, id) where creator_id is not null`.execute(
      db,
    );
    await sql`create trigger links_creation_append_only before update of
        id, space_id, created_at, creator_kind, creator_id, creator_session, creator_address, has_permission_filter on links
      when old.creator_kind is not null and new.creator_kind is not null begin
      select raise(abort, 'audit entries cannot be changed');
    end`.execute(db);
    await noteExistingLinks(db);
    await queueCreations(db);
  },
};

const DAY_MS = 86_400_000;

/** Lists of the audit need not read links that are older than the migration. The tolerance of a day covers changes of the clock. */
async function noteExistingLinks(db: Kysely<unknown>): Promise<void> {
  const digits = (Date.now() - DAY_MS).toString(16).padStart(12, '0');
  const before = `${digits.slice(0, 8)}-${digits.slice(8)}`;
  await sql`insert into installation (name, value)
    select 'link-creations-forgotten', ${before} where exists (select 1 from links)`.execute(db);
}

/** Replaces the trigger of installations that queue the audit. A moved creation has been queued before. */
async function queueCreations(db: Kysely<unknown>): Promise<void> {
  const { rows } =
    await sql`select 1 from sqlite_master where type = 'trigger' and name = 'audit_entries_queued'`.execute(
      db,
    );
  if (rows.length === 0) return;
  await sql`drop trigger audit_entries_queued`.execute(db);
  await sql`create trigger audit_entries_queued after insert on audit_entries
    when new.resource_id is not new.id begin
    insert into audit_outbox (id) values (new.id);
  end`.execute(db);
  await sql`create trigger links_creation_queued after insert on links
    when new.creator_kind is not null begin
    insert into audit_outbox (id) values (new.id);
  end`.execute(db);
}
