import type { Engine } from '../engine.ts';

/** Secrets of event sources, consumers of events, and webhooks. */
export function consumers(engine: Engine): string[] {
  const { isPostgres, text, id, spaceKey, references, foreignKey } = engine;
  const space = `space_id ${text} not null references spaces (id) on delete cascade`;
  return [
    `create table event_source_secrets (
    id ${id},
    ${space},
    source_id ${text} not null${references('event_sources')},
    sealed text not null,
    created_at bigint not null,
    ends_at bigint${spaceKey}${foreignKey('source_id', 'event_sources')}
  )`,
    'create index event_source_secrets_source on event_source_secrets (space_id, source_id, id)',
    `create table event_consumers (
    name ${text} primary key,
    created_at bigint not null
  )`,
    `create table event_cursors (
    ${space},
    consumer ${text} not null,
    position bigint not null,
    updated_at bigint not null,
    primary key (space_id, consumer)
  )`,
    'create index event_cursors_consumer on event_cursors (consumer, space_id)',
    `create table subscriptions (
    id ${id},
    ${space},
    url text not null,
    types text,
    sources text,
    state text not null check (state in ('active', 'disabled', 'ended')),
    end_reason text,
    secrets text not null,
    position bigint not null,
    last_delivered_at bigint,
    last_failed_at bigint,
    last_failed_status integer,
    last_failure text,
    created_at bigint not null,
    revision integer not null default 0,
    deliveries_revision integer not null default 0${spaceKey}
  )`,
    ...(isPostgres ? [] : ['create index subscriptions_space on subscriptions (space_id, id)']),
    `create table deliveries (
    ${space},
    subscription_id ${text} not null${references('subscriptions')},
    position bigint not null,
    state text not null check (state in ('waiting', 'parked')),
    resent integer not null,
    event_id text not null,
    source text not null,
    type text not null,
    subject text,
    bytes integer not null,
    received_at bigint not null,
    waiting_since bigint not null,
    next_attempt_at bigint not null,
    attempts integer not null,
    last_attempt_at bigint,
    last_status integer,
    last_failure text,
    text text not null,
    primary key (space_id, subscription_id, position)${foreignKey('subscription_id', 'subscriptions')}
  )`,
    isPostgres
      ? 'create index deliveries_state on deliveries (space_id, subscription_id, state, position)'
      : 'create index deliveries_state on deliveries (subscription_id, state, position, bytes)',
  ];
}
