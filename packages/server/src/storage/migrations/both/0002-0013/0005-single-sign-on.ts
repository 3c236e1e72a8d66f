import type { Engine } from '../engine.ts';

export const singleSignOn = ({ text, integer }: Engine) => [
  // Two concurrent first sign-ins of a person must not create two users.
  'create unique index accounts_identity on accounts (provider_id, account_id)',
  // The users whose `is_admin` was set by single sign-on.
  `create table sso_administrators (
    user_id ${text} primary key references users (id) on delete cascade
  )`,
  // The rows of `bot_members` whose role was set by single sign-on.
  `create table sso_roles (
    space_id ${text} not null,
    bot_id ${integer} not null,
    user_id ${text} not null,
    role text not null check (role in ('viewer', 'editor', 'owner')),
    manual_role text check (manual_role in ('viewer', 'editor', 'owner')),
    primary key (space_id, bot_id, user_id),
    foreign key (space_id, bot_id, user_id)
      references bot_members (space_id, bot_id, user_id) on delete cascade
  )`,
  'create index sso_roles_user on sso_roles (user_id)',
  // Hashes of the used values of `state`.
  `create table sso_states (
    state_hash ${text} primary key,
    expires_at bigint not null
  )`,
  // Codes that are exchanged for a session.
  `create table sso_codes (
    code_hash ${text} primary key,
    user_id ${text} not null references users (id) on delete cascade,
    expires_at bigint not null
  )`,
  'create index sso_codes_user on sso_codes (user_id)',
];
