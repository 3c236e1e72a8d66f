/** An earlier release would ignore the links that a request with an `Idempotency-Key` has created, and create them again. */
export const derivedTokens = ['alter table links add column request_hash text'];
