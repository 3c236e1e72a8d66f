const TEXT = 'text collate "C"';

/** Attachments of conversations. An earlier release ignores them, and deletes them together with their messages. */
export const attachments = [
  'alter table messages add column attachments text',
  `create table attachments (
    id ${TEXT} not null,
    space_id ${TEXT} not null references spaces (id) on delete cascade,
    owner ${TEXT} not null,
    link_id ${TEXT} not null,
    chat_id ${TEXT} not null,
    message_id ${TEXT},
    file_name text not null,
    mime_type ${TEXT} not null,
    size bigint not null,
    passages text not null,
    created_at bigint not null,
    expires_at bigint,
    primary key (space_id, id),
    foreign key (space_id, message_id) references messages (space_id, id) on delete cascade
  )`,
  'create index attachments_chat on attachments (space_id, owner, chat_id)',
  'create index attachments_link on attachments (space_id, link_id)',
  `create index attachments_message on attachments (space_id, message_id)
    where message_id is not null`,
  'create index attachments_expiry on attachments (expires_at) where expires_at is not null',
];
