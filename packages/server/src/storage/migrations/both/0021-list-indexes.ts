/** Indexes for lists with filters. Each list reads only the rows that it shows. */
export const listIndexes = [
  // Few documents are not ready, and few have a newer version that is not indexed yet.
  `create index documents_not_ready on documents (space_id, state, id)
    where state <> 'ready'`,
  `create index documents_replaced on documents (space_id, id)
    where next_number is not null`,
  'create index documents_name on documents (space_id, file_name)',
  'create index audit_entries_space_action on audit_entries (resource_space_id, action, id)',
  'create index audit_entries_space_actor on audit_entries (resource_space_id, actor_id, id)',
  'create index audit_entries_action on audit_entries (action, id)',
  'create index audit_entries_actor on audit_entries (actor_id, id)',
];
