import type { ApiError } from '@gatehouse/contract';
import { conflict, notFound } from '../../http/index.ts';

/** Also returned for a source of another space, so callers cannot probe for IDs. */
export function noSuchSource(): ApiError {
  return notFound('sources.not-found', 'No event source with this ID exists in this space.');
}

export function sourceExists(): ApiError {
  return conflict(
    'sources.exists',
    'This space already has an event source with this `source` and `match`; change that event source instead.',
  );
}

export function tooManySources(limit: number): ApiError {
  return conflict(
    'sources.too-many',
    `A space can have at most ${limit} event sources; delete one first, or register one prefix instead of several sources.`,
  );
}
