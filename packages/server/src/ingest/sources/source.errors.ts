import { ApiError } from '@gatehouse/contract';

/** Also returned for a source of another space, so callers cannot probe for IDs. */
export function noSuchSource(): ApiError {
  return new ApiError({
    status: 404,
    code: 'sources.not-found',
    message: 'No event source with this ID exists in this space.',
  });
}

export function sourceExists(): ApiError {
  return new ApiError({
    status: 409,
    code: 'sources.exists',
    message:
      'This space already has an event source with this `source` and `match`; change that event source instead.',
  });
}

export function tooManySources(limit: number): ApiError {
  return new ApiError({
    status: 409,
    code: 'sources.too-many',
    message: `A space can have at most ${limit} event sources; delete one first, or register one prefix instead of several sources.`,
  });
}
