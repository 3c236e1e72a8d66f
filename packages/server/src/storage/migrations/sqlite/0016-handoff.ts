/** Current time in Unix milliseconds. */
const NOW = "cast(unixepoch('subsec') * 1000 as integer)";
/** Reports whether no copy from another store is writing rows, whose events the other store has queued. */
const NO_COPY = `not exists (
  select 1 from installation where name = 'copy' and value like '%"done":false%')`;
const HANDED_OVER = "('requested', 'active')";

/** Returns the condition that the space of a row reports its conversations. */
const isReported = (row: 'new' | 'old') =>
  `exists (select 1 from spaces where id = ${row}.space_id and conversation_events = 1) and ${NO_COPY}`;

const COLUMNS = 'id, space_id, event, conversation_id, message_id, link_id, detail, at';
const ID = 'lower(hex(randomblob(16)))';

/** Handoffs of conversations to people, and the queue of events about conversations. Triggers queue each event in the transaction of its cause. */
export const handoff = [
  'alter table bots add column handoff text',
  'alter table bots add column contact text',
  `alter table spaces add column conversation_events integer not null default 0
    check (conversation_events in (0, 1))`,
  'alter table conversations add column handoff_id text',
  `alter table conversations add column handoff_state text
    check (handoff_state in ('requested', 'active', 'ended'))`,
  'alter table conversations add column handoff_requested_at bigint',
  'alter table conversations add column handoff_link_id text',
  'alter table conversations add column handoff_author text',
  'alter table conversations add column handoff_ended_at bigint',
  'alter table messages add column author text',
  'alter table messages add column handoff_id text',
  `create index conversations_handoff on conversations (space_id, created_at, id)
    where handoff_state in ${HANDED_OVER}`,
  `create index conversations_handoff_link on conversations (handoff_link_id)
    where handoff_state in ${HANDED_OVER}`,
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
