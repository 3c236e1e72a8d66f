/**
 * Links record their creation. An earlier release would not show it in the audit. The creation of existing links is in
 * `audit_entries`.
 */
export const linkCreations = [
  ...['creator_kind', 'creator_id', 'creator_session', 'creator_address'].map(
    (column) => `alter table links add column ${column} text collate "C"`,
  ),
  'alter table links add column has_permission_filter integer',
  'create index links_creator on links (creator_id, id) where creator_id is not null',
  `create trigger links_creation_append_only before update of
      id, space_id, created_at, creator_kind, creator_id, creator_session, creator_address, has_permission_filter on links
    for each row when (old.creator_kind is not null and new.creator_kind is not null)
    execute function reject_audit_change()`,
  // Lists of the audit need not read links that are older than the migration. The tolerance of a day covers changes of the clock.
  `insert into installation (name, value)
    select 'link-creations-forgotten', substr(digits, 1, 8) || '-' || substr(digits, 9)
    from (select lpad(to_hex(cast(extract(epoch from now() - interval '1 day') * 1000 as bigint)), 12, '0') as digits) as past
    where exists (select from links)`,
  // A moved creation has been queued before.
  'drop trigger audit_entries_queued on audit_entries',
  `create trigger audit_entries_queued after insert on audit_entries
    for each row when (new.resource_id is distinct from new.id) execute function queue_audit_event()`,
  `create trigger links_creation_queued after insert on links
    for each row when (new.creator_kind is not null) execute function queue_audit_event()`,
];
