const TEXT = 'text collate "C"';

export const accounts = [
  `create table sign_in_failures (
    key ${TEXT} primary key,
    failures integer not null,
    blocked_until bigint not null,
    ends_at bigint not null
  )`,
  'create index sign_in_failures_ended on sign_in_failures (ends_at)',
  `create table one_time_links (
    id ${TEXT} primary key,
    purpose text not null check (purpose in ('setup', 'reset', 'sign-in')),
    user_id ${TEXT} references users (id) on delete cascade,
    token_hash ${TEXT} not null unique,
    created_at bigint not null,
    expires_at bigint not null,
    ended_at bigint
  )`,
  'create index one_time_links_user on one_time_links (user_id)',
  `create table invitations (
    id ${TEXT} not null,
    space_id ${TEXT} not null references spaces (id) on delete cascade,
    bot_id bigint not null,
    email ${TEXT} not null,
    role text not null check (role in ('viewer', 'editor', 'owner')),
    invited_by ${TEXT} not null references users (id) on delete cascade,
    token_hash ${TEXT} not null,
    created_at bigint not null,
    expires_at bigint not null,
    ended_at bigint,
    primary key (space_id, id),
    foreign key (space_id, bot_id) references bots (space_id, id) on delete cascade
  )`,
  'create index invitations_token on invitations (token_hash)',
  'create index invitations_bot on invitations (space_id, bot_id, id)',
  'create index invitations_inviter on invitations (invited_by)',
  'alter table sessions add column last_used_at bigint',
];
