export { createIdempotency, type Idempotency, REPLAY_MS } from './idempotency.service.ts';
export { hasIdempotencyKey } from './idempotency-key.rules.ts';
export type { ReplayRules } from './keyed-route.ts';
