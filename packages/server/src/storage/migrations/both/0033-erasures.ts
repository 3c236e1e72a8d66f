import type { Engine } from './engine.ts';

/** Erasures of persons whose last step is not complete. An earlier release ignores them. */
export const erasures = ({ text, flag }: Engine) => [
  `create table erasures (
    space_id ${text} not null references spaces (id) on delete cascade,
    pseudonym ${text} not null,
    sealed_sub text not null,
    with_events ${flag} not null check (with_events in (0, 1)),
    ended_at bigint not null,
    erased_through bigint,
    primary key (space_id, pseudonym, with_events)
  )`,
];
