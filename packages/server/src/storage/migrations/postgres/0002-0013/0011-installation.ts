/** The new columns of `replicas` are null in rows of commands, and of replicas of earlier releases. */
export const installation = [
  'alter table replicas add column started_at bigint',
  'alter table replicas add column version text',
  'alter table replicas add column host text',
  // IDs of the audit entries that become events, written in the transaction of the entry.
  `create table audit_outbox (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique
  )`,
  `create function queue_audit_event() returns trigger language plpgsql as $$
  begin
    if exists (select from installation where name = 'audit-space') then
      insert into audit_outbox (id) values (new.id);
    end if;
    return null;
  end $$`,
  `create trigger audit_entries_queued after insert on audit_entries
    for each row execute function queue_audit_event()`,
];
