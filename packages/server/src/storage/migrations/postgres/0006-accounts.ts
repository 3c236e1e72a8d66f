export const accounts = [
  `create table sign_in_failures (
    key text collate "C" primary key,
    failures integer not null,
    blocked_until bigint not null,
    ends_at bigint not null
  )`,
  'create index sign_in_failures_ended on sign_in_failures (ends_at)',
];
