import type { Engine } from '../engine.ts';

/** Columns and indexes for reading the conversations of a space. An earlier release leaves the new columns of messages null. */
export const conversations = ({ text, flag }: Engine) => [
  `alter table spaces add column conversation_access text not null default 'owners'
    check (conversation_access in ('owners', 'editors', 'nobody'))`,
  `alter table messages add column answered ${flag}`,
  `alter table messages add column link_id ${text}`,
  'create index conversations_created on conversations (space_id, created_at, id)',
  'create index conversations_owner_created on conversations (space_id, owner, created_at, id)',
  'create index conversations_updated on conversations (updated_at)',
  // The index contains all columns of the summary of a conversation, so that summaries do not read the texts.
  `create index messages_summary
    on messages (space_id, conversation_id, role, answered, rating, link_id)`,
  `create index messages_unanswered on messages (space_id, created_at, id) where answered = 0`,
  `create index messages_disliked on messages (space_id, created_at, id) where rating = 'down'`,
];
