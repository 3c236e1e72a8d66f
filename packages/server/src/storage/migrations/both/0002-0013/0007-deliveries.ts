import type { Engine } from '../engine.ts';

/** Logs of attempts, successful deliveries, replays and rejected events. */
export const deliveries = ({ isPostgres, text, references, foreignKey }: Engine) => [
  "alter table deliveries add column attempt_log text not null default '[]'",
  `create table successful_deliveries (
    space_id ${text} not null references spaces (id) on delete cascade,
    subscription_id ${text} not null${references('subscriptions')},
    sequence bigint not null,
    position bigint not null,
    event_id text not null,
    source text not null,
    type text not null,
    subject text,
    received_at bigint not null,
    waiting_since bigint not null,
    delivered_at bigint not null,
    attempts integer not null,
    status integer not null,
    bytes integer not null,
    attempt_log text not null,
    primary key (space_id, subscription_id, sequence)${foreignKey('subscription_id', 'subscriptions')}
  )`,
  ...(isPostgres
    ? []
    : [
        'create index successful_deliveries_subscription on successful_deliveries (subscription_id)',
      ]),
  'create index successful_deliveries_time on successful_deliveries (delivered_at)',
  'alter table subscriptions add column replay_number integer not null default 0',
  'alter table subscriptions add column replay_from bigint',
  'alter table subscriptions add column replay_position bigint',
  'alter table subscriptions add column replay_through bigint',
  'alter table subscriptions add column replay_started_at bigint',
  'alter table subscriptions add column replay_ended_at bigint',
  `alter table subscriptions add column replay_state text
    check (replay_state in ('running', 'finished', 'cancelled'))`,
  `create table rejected_events (
    space_id ${text} not null references spaces (id) on delete cascade,
    id ${text} not null,
    at bigint not null,
    kind text not null check (kind in ('event', 'request')),
    reason text not null,
    details text not null,
    primary key (space_id, id)
  )`,
  'create index rejected_events_time on rejected_events (at)',
];
