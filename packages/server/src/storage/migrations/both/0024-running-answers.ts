import type { Engine } from './engine.ts';

/** Parts of answers in progress, so that they can be resumed. An earlier release ignores them. */
export const runningAnswers = ({ text, references, foreignKey }: Engine) => [
  `create table running_answers (
    id ${text} not null,
    space_id ${text} not null references spaces (id) on delete cascade,
    link_id ${text} not null,
    chat_id ${text} not null,
    conversation_id ${text} not null${references('conversations')},
    sealed text not null,
    is_stopped integer not null check (is_stopped in (0, 1)),
    ended integer not null check (ended in (0, 1)),
    detached_at bigint,
    followed_at bigint,
    updated_at bigint not null,
    primary key (space_id, id)${foreignKey('conversation_id', 'conversations')}
  )`,
  'create index running_answers_conversation on running_answers (space_id, conversation_id)',
  'create index running_answers_link on running_answers (space_id, link_id)',
  'create index running_answers_updated on running_answers (updated_at)',
];
