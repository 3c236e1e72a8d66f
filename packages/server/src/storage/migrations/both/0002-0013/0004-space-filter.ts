/** An earlier release would ignore the filter and show hidden documents, so this migration is not compatible with it. */
export const spaceFilter = [
  'alter table spaces add column permission_filter text',
  'alter table spaces add column require_link_filter integer not null default 0',
  'alter table links add column restricted integer',
  'alter table links add column warnings text',
];
