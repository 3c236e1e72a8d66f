import type { Reference } from './document.ts';

/** The header that every response has, as a reference to `components.headers`. */
export const REQUEST_ID: Readonly<Record<'X-Request-Id', Reference>> = {
  'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
};

/** The header of a replayed response, as a reference to `components.headers`. */
export const REPLAYED: Readonly<Record<'Idempotent-Replayed', Reference>> = {
  'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' },
};
