import type { Engine } from '../engine.ts';

// The entries outlive their space, so the table has no foreign key to `spaces`. Entries of the installation have no space, so the
// table is not distributed by space.
export const auditTable = ({ text }: Engine) => [
  `create table audit_entries (
    id ${text} primary key,
    at bigint not null,
    action ${text} not null,
    actor_kind text not null check (actor_kind in ('user', 'api-key', 'link', 'operator', 'anonymous')),
    actor_id ${text},
    session_id ${text},
    address ${text},
    resource_space_id ${text},
    resource_id ${text},
    sub ${text},
    details text
  )`,
  'create index audit_entries_space on audit_entries (resource_space_id, id)',
  'create index audit_entries_resource on audit_entries (resource_id)',
  "create unique index audit_entries_opened on audit_entries (resource_id) where action = 'link.opened'",
  'create index audit_entries_sub on audit_entries (resource_space_id, substr(sub, 1, 200)) where sub is not null',
];
