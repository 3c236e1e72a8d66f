import type { Engine } from './engine.ts';

/** Budgets for models. An earlier release ignores them. */
export const budgets = ({ text }: Engine) => [
  'alter table spaces add column budget text',
  `create table budget_days (
    space_id ${text} not null references spaces (id) on delete cascade,
    -- Empty for the budget of the space.
    link_id ${text} not null,
    day ${text} not null,
    tokens bigint not null,
    cost_millionths bigint not null,
    primary key (space_id, link_id, day)
  )`,
];
