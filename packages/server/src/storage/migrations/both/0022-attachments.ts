import type { Engine } from './engine.ts';

/** Attachments of conversations. An earlier release ignores them, and deletes them together with their messages. */
export const attachments = ({ text, inSpace, references, foreignKey }: Engine) => [
  'alter table messages add column attachments text',
  `create table attachments (
    id ${text} not null,
    space_id ${text} not null references spaces (id) on delete cascade,
    owner ${text} not null,
    link_id ${text} not null,
    chat_id ${text} not null,
    message_id ${text}${references('messages')},
    file_name text not null,
    mime_type ${text} not null,
    size bigint not null,
    passages text not null,
    created_at bigint not null,
    expires_at bigint,
    primary key (space_id, id)${foreignKey('message_id', 'messages')}
  )`,
  'create index attachments_chat on attachments (space_id, owner, chat_id)',
  'create index attachments_link on attachments (space_id, link_id)',
  `create index attachments_message on attachments (${inSpace}message_id) where message_id is not null`,
  'create index attachments_expiry on attachments (expires_at) where expires_at is not null',
];
