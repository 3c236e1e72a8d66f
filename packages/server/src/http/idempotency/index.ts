// Separate from `http/index.ts`, which unit tests import: the service uses files and a cache.
export { createIdempotency, type Idempotency } from './idempotency.service.ts';
