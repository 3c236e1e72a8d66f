// Older replicas do not set these columns, and operator commands do not set the version.
export const installation = [
  `alter table replicas
    add column host text,
    add column version text,
    add column started_at bigint`,
];
