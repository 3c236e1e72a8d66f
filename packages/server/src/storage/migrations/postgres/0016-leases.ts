import { type Kysely, sql } from 'kysely';

/**
 * Which process does what. The epoch is part of a key, so that a lock for key share holds off whoever would take a
 * job, and not its holder who renews it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table leases (
    name text collate "C" primary key,
    holder text not null,
    epoch bigint not null,
    ends_at bigint not null,
    unique (name, epoch)
  ) with (fillfactor = 50)`.execute(db);
}
