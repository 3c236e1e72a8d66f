import type { Engine } from '../engine.ts';

export const usage = ({ text }: Engine) => [
  `create table usage_days (
    space_id ${text} not null references spaces (id) on delete cascade,
    day ${text} not null,
    questions bigint not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    cost_millionths bigint not null,
    documents bigint not null,
    events bigint not null,
    primary key (space_id, day)
  )`,
];
