const TEXT = 'text collate "C"';

/** HTTP tools of bots, and the decisions of people about tool calls. */
export const tools = [
  `create table tools (
    id ${TEXT} not null,
    space_id ${TEXT} not null references spaces (id) on delete cascade,
    bot_id bigint not null,
    name ${TEXT} not null,
    title text,
    description text not null,
    url text not null,
    input_schema text not null,
    consent integer not null check (consent in (0, 1)),
    sealed text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (space_id, id),
    foreign key (space_id, bot_id) references bots (space_id, id) on delete cascade
  )`,
  'create unique index tools_name on tools (space_id, bot_id, name)',
  `create table tool_consents (
    id ${TEXT} not null,
    space_id ${TEXT} not null references spaces (id) on delete cascade,
    link_id ${TEXT} not null,
    decision ${TEXT} check (decision in ('allow', 'deny')),
    expires_at bigint not null,
    primary key (space_id, id)
  )`,
  'create index tool_consents_expiry on tool_consents (expires_at)',
];
