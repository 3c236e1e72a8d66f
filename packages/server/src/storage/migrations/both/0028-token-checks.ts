/**
 * The token of a link with an `Idempotency-Key` is derived again when the request is repeated, so neither the key nor the token is stored. A
 * repetition of a request that was sent before the upgrade creates another link.
 */
export const tokenChecks = [
  'drop index links_key',
  'alter table links drop column key_hash',
  'alter table links drop column sealed_token',
  'update links set request_hash = null where request_hash is not null',
  'alter table links rename column request_hash to token_check',
];
