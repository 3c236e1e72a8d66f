const TEXT = 'text collate "C"';

// The entries outlive their space, so the table has no foreign key to `spaces`. Entries of the installation have no space, so the
// table is not distributed by space.
export const audit = [
  `create table audit_entries (
    id ${TEXT} primary key,
    at bigint not null,
    action ${TEXT} not null,
    actor_kind text not null check (actor_kind in ('user', 'api-key', 'link', 'operator', 'anonymous')),
    actor_id ${TEXT},
    session_id ${TEXT},
    address ${TEXT},
    resource_space_id ${TEXT},
    resource_id ${TEXT},
    sub ${TEXT},
    details text
  )`,
  'create index audit_entries_space on audit_entries (resource_space_id, id)',
  'create index audit_entries_resource on audit_entries (resource_id)',
  "create unique index audit_entries_opened on audit_entries (resource_id) where action = 'link.opened'",
  'create index audit_entries_sub on audit_entries (resource_space_id, substr(sub, 1, 200)) where sub is not null',
  `create function reject_audit_change() returns trigger language plpgsql as $$
  begin
    raise exception 'audit entries cannot be changed';
  end $$`,
  // Only the `sub` can change, when the person is erased.
  `create trigger audit_entries_append_only before update of
      id, at, action, actor_kind, actor_id, session_id, address, resource_space_id, resource_id, details on audit_entries
    for each row execute function reject_audit_change()`,
];
