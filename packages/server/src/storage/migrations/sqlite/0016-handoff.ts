import { COLUMNS, HANDED_OVER } from '../both/0016-handoff.ts';

/** Current time in Unix milliseconds. */
const NOW = "cast(unixepoch('subsec') * 1000 as integer)";
/** Reports whether no copy from another store is writing rows, whose events the other store has queued. */
const NO_COPY = `not exists (
  select 1 from installation where name = 'copy' and value like '%"done":false%')`;

/** Returns the condition that the space of a row reports its conversations. */
const isReported = (row: 'new' | 'old') =>
  `exists (select 1 from spaces where id = ${row}.space_id and conversation_events = 1) and ${NO_COPY}`;

const ID = 'lower(hex(randomblob(16)))';

/** The queue of events about conversations. Triggers queue each event in the transaction of its cause. */
export const handoff = [
  `create table conversation_outbox (
    number integer primary key,
    id text not null,
    space_id text not null references spaces (id) on delete cascade,
    event text not null,
    conversation_id text not null,
    message_id text,
    link_id text,
    detail text,
    at bigint not null
  )`,
  'create unique index conversation_outbox_id on conversation_outbox (space_id, id)',
  // A revoked link ends its handoff.
  `create trigger links_end_handoff after update of revoked_at on links
    when new.revoked_at is not null and old.revoked_at is null begin
    update conversations set handoff_state = 'ended', handoff_ended_at = new.revoked_at
      where handoff_link_id = new.id and handoff_state in ${HANDED_OVER};
  end`,
  `create trigger conversations_started after insert on conversations when ${isReported('new')} begin
    insert into conversation_outbox (${COLUMNS})
      values (${ID}, new.space_id, 'started', new.id, null, new.link_id, null, new.created_at);
  end`,
  `create trigger messages_sent after insert on messages
    when new.state <> 'failed' and ${isReported('new')} begin
    insert into conversation_outbox (${COLUMNS})
      values (${ID}, new.space_id, case new.role when 'user' then 'asked' else 'answered' end,
        new.conversation_id, new.id, new.link_id,
        case when new.role = 'user' then null when new.author is null then 'assistant' else 'team' end,
        new.created_at);
  end`,
  `create trigger messages_rated after update of rating on messages
    when new.rating is not null and new.rating is not old.rating and ${isReported('new')} begin
    insert into conversation_outbox (${COLUMNS})
      values (${ID}, new.space_id, 'rated', new.conversation_id, new.id, null, new.rating, ${NOW});
  end`,
  `create trigger conversations_handed_over after update of handoff_state on conversations
    when new.handoff_state = 'requested' and old.handoff_state is not 'requested' begin
    insert into conversation_outbox (${COLUMNS})
      values (${ID}, new.space_id, 'handoff', new.id, null, new.handoff_link_id, null,
        new.handoff_requested_at);
  end`,
  `create trigger conversations_handoff_ended after update of handoff_state on conversations
    when new.handoff_state = 'ended' and old.handoff_state in ${HANDED_OVER} begin
    insert into conversation_outbox (${COLUMNS})
      values (${ID}, new.space_id, 'handoff-ended', new.id, null, new.handoff_link_id, null,
        new.handoff_ended_at);
  end`,
  // One trigger for both events, because SQLite does not define the order of triggers.
  `create trigger conversations_ended after delete on conversations
    when exists (select 1 from spaces where id = old.space_id) begin
    insert into conversation_outbox (${COLUMNS})
      select ${ID}, old.space_id, 'handoff-ended', old.id, null, old.handoff_link_id, null, ${NOW}
      where old.handoff_state in ${HANDED_OVER};
    insert into conversation_outbox (${COLUMNS})
      select ${ID}, old.space_id, 'ended', old.id, null, old.link_id, null, ${NOW}
      where ${isReported('old')};
  end`,
];
