const IN_SPACE = 'space_id text not null references spaces (id) on delete cascade';
/** 1 if the state of a link is `revoked`. Queries must use the same expression (`links/links/link-list.repository.ts`). */
const REVOKED = 'case when revoked_at < exp * 1000 then 1 else 0 end';
/** The same expression as on PostgreSQL, which limits the size of an index entry. */
const SUB = 'substr(sub, 1, 200)';

export const spaces = [
  `create table users (
    id text primary key,
    name text not null,
    email text not null unique,
    email_verified integer not null,
    image text,
    is_admin integer not null default 0,
    disabled_at bigint,
    created_at text not null,
    updated_at text not null
  )`,
  `create table sessions (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    token text not null unique,
    expires_at text not null,
    ip_address text,
    user_agent text,
    created_at text not null,
    updated_at text not null
  )`,
  'create index sessions_user on sessions (user_id)',
  `create table accounts (
    id text primary key,
    account_id text not null,
    provider_id text not null,
    user_id text not null references users (id) on delete cascade,
    access_token text,
    refresh_token text,
    id_token text,
    access_token_expires_at text,
    refresh_token_expires_at text,
    scope text,
    password text,
    created_at text not null,
    updated_at text not null
  )`,
  'create index accounts_user on accounts (user_id)',
  `create table verifications (
    id text primary key,
    identifier text not null,
    value text not null,
    expires_at text not null,
    created_at text not null,
    updated_at text not null
  )`,
  `create table spaces (
    id text primary key,
    name text not null,
    created_at bigint not null,
    events_max_age_days integer,
    events_max_bytes bigint
  )`,
  `create table space_origins (
    ${IN_SPACE},
    position integer not null,
    origin text not null,
    primary key (space_id, position)
  )`,
  'create index space_origins_origin on space_origins (origin)',
  `create table bots (
    id integer primary key autoincrement,
    ${IN_SPACE},
    name text not null,
    system_prompt text,
    greeting text,
    suggestions text not null,
    model text,
    created_at bigint not null
  )`,
  'create index bots_space on bots (space_id, id)',
  `create table bot_members (
    ${IN_SPACE},
    bot_id integer not null references bots (id) on delete cascade,
    user_id text not null references users (id) on delete cascade,
    role text not null check (role in ('viewer', 'editor', 'owner')),
    created_at bigint not null,
    primary key (bot_id, user_id)
  )`,
  'create index bot_members_user on bot_members (user_id, space_id)',
  // This index starts with the space as on PostgreSQL, because some statements run on both engines. The same applies to
  // `conversations_space`.
  'create unique index bot_members_space on bot_members (space_id, bot_id, user_id)',
  `create table api_keys (
    id text primary key,
    ${IN_SPACE},
    name text not null,
    prefix text not null,
    key_hash text not null unique,
    scopes text not null,
    expires_at bigint,
    created_at bigint not null,
    last_used_at bigint
  )`,
  'create index api_keys_space on api_keys (space_id, id)',
  `create table links (
    id text primary key,
    ${IN_SPACE},
    token_hash text not null unique,
    token_prefix text not null,
    sub text,
    payload text not null,
    user_information text,
    bot_id integer references bots (id) on delete cascade,
    exp double precision not null,
    created_at bigint not null,
    revoked_at bigint,
    exchanges integer not null default 0,
    last_exchanged_at bigint
  )`,
  'create index links_space on links (space_id, id)',
  'create index links_bot on links (bot_id)',
  `create index links_state on links (space_id, ${REVOKED}, exp, id)`,
  `create index links_sub on links (space_id, ${SUB}, id) where sub is not null`,
  `create index links_sub_state on links (space_id, ${SUB}, ${REVOKED}, exp, id) where sub is not null`,
  `create table conversations (
    id text primary key,
    ${IN_SPACE},
    owner text not null,
    link_id text references links (id) on delete cascade,
    chat_id text not null,
    title text not null,
    created_at bigint not null,
    updated_at bigint not null
  )`,
  'create unique index conversations_space on conversations (space_id, id)',
  'create unique index conversations_chat on conversations (space_id, owner, chat_id)',
  'create index conversations_newest on conversations (space_id, owner, updated_at)',
  'create index conversations_listed on conversations (space_id, owner, id)',
  'create index conversations_link on conversations (link_id) where link_id is not null',
  `create table messages (
    id text primary key,
    space_id text not null,
    conversation_id text not null references conversations (id) on delete cascade,
    position integer not null,
    role text not null check (role in ('user', 'assistant')),
    sent_id text,
    text text not null,
    state text not null check (state in ('finished', 'stopped', 'failed')),
    failure text,
    sources text not null,
    documents text not null,
    input_tokens integer,
    output_tokens integer,
    rating text check (rating in ('up', 'down')),
    comment text,
    created_at bigint not null,
    model text,
    cost_millionths bigint
  )`,
  'create unique index messages_position on messages (conversation_id, position)',
  `create table signing_keys (
    generation integer primary key,
    kid text not null unique,
    sealed text not null,
    created_at bigint not null,
    signs_from bigint not null,
    earlier_until bigint not null
  )`,
  `create table installation (
    name text primary key,
    value text not null
  )`,
];
