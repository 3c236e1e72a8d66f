import type { Engine } from '../engine.ts';

// The table is not distributed by space, because a request with a key is found before its space is known. Therefore, and because
// many rows may belong to a space and not all rows have one, it has no foreign key to `spaces`.
export const idempotency = ({ text }: Engine) => [
  `create table idempotent_responses (
    caller ${text} not null,
    key_hash ${text} not null,
    resource_space_id ${text},
    subject_hash ${text},
    sealed text not null,
    expires_at bigint not null,
    primary key (caller, key_hash)
  )`,
  'create index idempotent_responses_expiry on idempotent_responses (expires_at)',
  'create index idempotent_responses_space on idempotent_responses (resource_space_id, subject_hash)',
];
