import type { Engine } from './engine.ts';

export const HANDED_OVER = "('requested', 'active')";
/** The columns of an event in `conversation_outbox`. */
export const COLUMNS = 'id, space_id, event, conversation_id, message_id, link_id, detail, at';

/** Handoffs of conversations to people. */
export const handoffColumns = ({ text, flag, inSpace }: Engine) => [
  `alter table bots add column handoff ${text}`,
  `alter table bots add column contact ${text}`,
  `alter table spaces add column conversation_events ${flag} not null default 0
    check (conversation_events in (0, 1))`,
  `alter table conversations add column handoff_id ${text}`,
  `alter table conversations add column handoff_state ${text}
    check (handoff_state in ('requested', 'active', 'ended'))`,
  'alter table conversations add column handoff_requested_at bigint',
  `alter table conversations add column handoff_link_id ${text}`,
  `alter table conversations add column handoff_author ${text}`,
  'alter table conversations add column handoff_ended_at bigint',
  `alter table messages add column author ${text}`,
  `alter table messages add column handoff_id ${text}`,
  `create index conversations_handoff on conversations (space_id, created_at, id)
    where handoff_state in ${HANDED_OVER}`,
  `create index conversations_handoff_link on conversations (${inSpace}handoff_link_id)
    where handoff_state in ${HANDED_OVER}`,
];
