import type { Engine } from '../engine.ts';

export const accounts = ({
  isPostgres,
  text,
  integer,
  id,
  spaceKey,
  unique,
  references,
  foreignKey,
}: Engine) => [
  `create table sign_in_failures (
    key ${text} primary key,
    failures integer not null,
    blocked_until bigint not null,
    ends_at bigint not null
  )`,
  'create index sign_in_failures_ended on sign_in_failures (ends_at)',
  `create table one_time_links (
    id ${text} primary key,
    purpose text not null check (purpose in ('setup', 'reset', 'sign-in')),
    user_id ${text} references users (id) on delete cascade,
    token_hash ${text} not null unique,
    created_at bigint not null,
    expires_at bigint not null,
    ended_at bigint
  )`,
  'create index one_time_links_user on one_time_links (user_id)',
  `create table invitations (
    id ${id},
    space_id ${text} not null references spaces (id) on delete cascade,
    bot_id ${integer} not null${references('bots')},
    email ${text} not null,
    role text not null check (role in ('viewer', 'editor', 'owner')),
    invited_by ${text} not null references users (id) on delete cascade,
    token_hash ${text} not null${unique},
    created_at bigint not null,
    expires_at bigint not null,
    ended_at bigint${spaceKey}${foreignKey('bot_id', 'bots')}
  )`,
  ...(isPostgres ? ['create index invitations_token on invitations (token_hash)'] : []),
  'create index invitations_bot on invitations (space_id, bot_id, id)',
  'create index invitations_inviter on invitations (invited_by)',
  'alter table sessions add column last_used_at bigint',
];
