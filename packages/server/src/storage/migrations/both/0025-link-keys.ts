import type { Engine } from './engine.ts';

/**
 * Links that are the records of requests with an `Idempotency-Key`. An earlier release would ignore them, and create them again. The index
 * of an existing table is empty, so it is created in one scan.
 */
export const linkKeys = ({ text, inSpace }: Engine) => [
  `alter table links add column key_hash ${text}`,
  `alter table links add column sealed_token ${text}`,
  `create unique index links_key on links (${inSpace}key_hash) where key_hash is not null`,
];
