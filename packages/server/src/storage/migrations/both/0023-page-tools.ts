import type { Engine } from './engine.ts';

/** Calls of tools of embedding pages, while the pages run them. An earlier release ignores them. */
export const pageTools = ({ text }: Engine) => [
  `create table page_tool_calls (
    id ${text} not null,
    space_id ${text} not null references spaces (id) on delete cascade,
    link_id ${text} not null,
    sealed text,
    expires_at bigint not null,
    primary key (space_id, id)
  )`,
  'create index page_tool_calls_expiry on page_tool_calls (expires_at)',
];
