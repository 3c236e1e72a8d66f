import type { Engine } from './engine.ts';

/** HTTP tools of bots, and the decisions of people about tool calls. */
export const tools = ({ text, integer, references, foreignKey }: Engine) => [
  `create table tools (
    id ${text} not null,
    space_id ${text} not null references spaces (id) on delete cascade,
    bot_id ${integer} not null${references('bots')},
    name ${text} not null,
    title text,
    description text not null,
    url text not null,
    input_schema text not null,
    consent integer not null check (consent in (0, 1)),
    sealed text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (space_id, id)${foreignKey('bot_id', 'bots')}
  )`,
  'create unique index tools_name on tools (space_id, bot_id, name)',
  `create table tool_consents (
    id ${text} not null,
    space_id ${text} not null references spaces (id) on delete cascade,
    link_id ${text} not null,
    decision ${text} check (decision in ('allow', 'deny')),
    expires_at bigint not null,
    primary key (space_id, id)
  )`,
  'create index tool_consents_expiry on tool_consents (expires_at)',
];
