// The table has no foreign key, because many rows may belong to a space and not all rows have one.
export const idempotency = [
  `create table idempotent_responses (
    caller text not null,
    key_hash text not null,
    resource_space_id text,
    subject_hash text,
    sealed text not null,
    expires_at bigint not null,
    primary key (caller, key_hash)
  )`,
  'create index idempotent_responses_expiry on idempotent_responses (expires_at)',
  'create index idempotent_responses_space on idempotent_responses (resource_space_id, subject_hash)',
];
