export const auditTrigger = [
  // Only the `sub` can change, when the person is erased.
  `create trigger audit_entries_append_only before update of
      id, at, action, actor_kind, actor_id, session_id, address, resource_space_id, resource_id, details on audit_entries begin
    select raise(abort, 'audit entries cannot be changed');
  end`,
];
