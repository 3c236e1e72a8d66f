import type { Engine } from '../engine.ts';

export const secondFactors = ({ text }: Engine) => [
  `create table second_factors (
    user_id ${text} primary key references users (id) on delete cascade,
    secret text not null,
    created_at bigint not null,
    enabled_at bigint,
    last_step bigint not null,
    failures integer not null,
    blocked_until bigint not null
  )`,
  `create table recovery_codes (
    user_id ${text} not null references users (id) on delete cascade,
    code_hash ${text} not null,
    primary key (user_id, code_hash)
  )`,
  `create table sign_in_challenges (
    token_hash ${text} primary key,
    user_id ${text} not null references users (id) on delete cascade,
    password_digest text not null,
    expires_at bigint not null
  )`,
  'create index sign_in_challenges_user on sign_in_challenges (user_id)',
];
