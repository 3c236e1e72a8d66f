// The table is not distributed by space, because a request with a key is found before its space is known. Therefore it has no
// foreign key to `spaces`.
export const idempotency = [
  `create table idempotent_responses (
    caller text collate "C" not null,
    key_hash text collate "C" not null,
    resource_space_id text collate "C",
    subject_hash text collate "C",
    sealed text not null,
    expires_at bigint not null,
    primary key (caller, key_hash)
  )`,
  'create index idempotent_responses_expiry on idempotent_responses (expires_at)',
  'create index idempotent_responses_space on idempotent_responses (resource_space_id, subject_hash)',
];
