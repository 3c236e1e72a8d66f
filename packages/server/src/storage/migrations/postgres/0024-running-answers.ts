const TEXT = 'text collate "C"';

/** Parts of answers in progress, so that they can be resumed. An earlier release ignores them. */
export const runningAnswers = [
  `create table running_answers (
    id ${TEXT} not null,
    space_id ${TEXT} not null references spaces (id) on delete cascade,
    link_id ${TEXT} not null,
    chat_id ${TEXT} not null,
    conversation_id ${TEXT} not null,
    sealed text not null,
    is_stopped integer not null check (is_stopped in (0, 1)),
    ended integer not null check (ended in (0, 1)),
    detached_at bigint,
    followed_at bigint,
    updated_at bigint not null,
    primary key (space_id, id),
    foreign key (space_id, conversation_id) references conversations (space_id, id) on delete cascade
  )`,
  'create index running_answers_conversation on running_answers (space_id, conversation_id)',
  'create index running_answers_link on running_answers (space_id, link_id)',
  'create index running_answers_updated on running_answers (updated_at)',
];
