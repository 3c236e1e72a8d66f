import { COLUMNS, HANDED_OVER } from '../both/0016-handoff.ts';

const TEXT = 'text collate "C"';
/** Current time in Unix milliseconds. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const ID = "replace(gen_random_uuid()::text, '-', '')";

/** Returns the statement that creates a trigger function. */
const trigger = (name: string, body: string) =>
  `create function ${name}() returns trigger language plpgsql set search_path from current as $$
  begin
    ${body}
    return null;
  end $$`;

/** The queue of events about conversations. Triggers queue each event in the transaction of its cause. */
export const handoff = [
  `create table conversation_outbox (
    number bigint generated always as identity,
    id ${TEXT} not null,
    space_id ${TEXT} not null references spaces (id) on delete cascade,
    event ${TEXT} not null,
    conversation_id ${TEXT} not null,
    message_id ${TEXT},
    link_id ${TEXT},
    detail ${TEXT},
    at bigint not null,
    primary key (space_id, number),
    unique (space_id, id)
  )`,
  'create index conversation_outbox_oldest on conversation_outbox (number)',
  // No event is queued while a copy from another store writes rows, because the other store has queued their events.
  `create function reports_conversations(space text) returns boolean language sql set search_path from current as $$
    select exists (select from spaces where id = space and conversation_events = 1)
      and not exists (
        select from installation where name = 'copy' and value like '%"done":false%')
  $$`,
  // A revoked link ends its handoff.
  trigger(
    'end_handoff_of_link',
    `update conversations set handoff_state = 'ended', handoff_ended_at = new.revoked_at
      where space_id = new.space_id and handoff_link_id = new.id and handoff_state in ${HANDED_OVER};`,
  ),
  `create trigger links_end_handoff after update of revoked_at on links for each row
    when (new.revoked_at is not null and old.revoked_at is null)
    execute function end_handoff_of_link()`,
  trigger(
    'queue_started_conversation',
    `if reports_conversations(new.space_id) then
      insert into conversation_outbox (${COLUMNS})
        values (${ID}, new.space_id, 'started', new.id, null, new.link_id, null, new.created_at);
    end if;`,
  ),
  `create trigger conversations_started after insert on conversations
    for each row execute function queue_started_conversation()`,
  trigger(
    'queue_sent_message',
    `if reports_conversations(new.space_id) then
      insert into conversation_outbox (${COLUMNS})
        values (${ID}, new.space_id, case new.role when 'user' then 'asked' else 'answered' end,
          new.conversation_id, new.id, new.link_id,
          case when new.role = 'user' then null when new.author is null then 'assistant' else 'team' end,
          new.created_at);
    end if;`,
  ),
  `create trigger messages_sent after insert on messages for each row
    when (new.state <> 'failed') execute function queue_sent_message()`,
  trigger(
    'queue_rated_message',
    `if reports_conversations(new.space_id) then
      insert into conversation_outbox (${COLUMNS})
        values (${ID}, new.space_id, 'rated', new.conversation_id, new.id, null, new.rating, ${NOW});
    end if;`,
  ),
  `create trigger messages_rated after update of rating on messages for each row
    when (new.rating is not null and new.rating is distinct from old.rating)
    execute function queue_rated_message()`,
  trigger(
    'queue_handoff',
    `insert into conversation_outbox (${COLUMNS})
      values (${ID}, new.space_id, 'handoff', new.id, null, new.handoff_link_id, null,
        new.handoff_requested_at);`,
  ),
  `create trigger conversations_handed_over after update of handoff_state on conversations for each row
    when (new.handoff_state = 'requested' and old.handoff_state is distinct from 'requested')
    execute function queue_handoff()`,
  trigger(
    'queue_handoff_end',
    `insert into conversation_outbox (${COLUMNS})
      values (${ID}, new.space_id, 'handoff-ended', new.id, null, new.handoff_link_id, null,
        new.handoff_ended_at);`,
  ),
  `create trigger conversations_handoff_ended after update of handoff_state on conversations for each row
    when (new.handoff_state = 'ended' and old.handoff_state in ${HANDED_OVER})
    execute function queue_handoff_end()`,
  trigger(
    'queue_deleted_conversation',
    `if old.handoff_state in ${HANDED_OVER}
      and exists (select from spaces where id = old.space_id) then
      insert into conversation_outbox (${COLUMNS})
        values (${ID}, old.space_id, 'handoff-ended', old.id, null, old.handoff_link_id, null, ${NOW});
    end if;
    if reports_conversations(old.space_id) then
      insert into conversation_outbox (${COLUMNS})
        values (${ID}, old.space_id, 'ended', old.id, null, old.link_id, null, ${NOW});
    end if;`,
  ),
  `create trigger conversations_ended after delete on conversations
    for each row execute function queue_deleted_conversation()`,
];
