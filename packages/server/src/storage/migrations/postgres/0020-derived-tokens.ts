/**
 * An earlier release would ignore the links that a request with an `Idempotency-Key` has created, and create them again. The index
 * also replaces `links_token`: it finds a link by its token alone, and rejects a second link with a token that was derived.
 */
export const derivedTokens = [
  'alter table links add column request_hash text collate "C"',
  'create unique index links_derived_token on links (token_hash, space_id)',
  'drop index links_token',
];
