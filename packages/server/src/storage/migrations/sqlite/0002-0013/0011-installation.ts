export const installation = [
  // IDs of the audit entries that become events, written in the transaction of the entry.
  'create table audit_outbox (number integer primary key, id text not null unique)',
  `create trigger audit_entries_queued after insert on audit_entries
    when exists (select 1 from installation where name = 'audit-space') begin
    insert into audit_outbox (id) values (new.id);
  end`,
];
