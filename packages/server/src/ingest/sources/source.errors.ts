import { ApiError } from '@gatehouse/contract';

/** Also for a source of another space, so that nobody can probe for ids. */
export function noSuchSource(): ApiError {
  return new ApiError({
    status: 404,
    code: 'sources.not-found',
    message: 'There is no such event source in this space.',
  });
}

export function sourceExists(): ApiError {
  return new ApiError({
    status: 409,
    code: 'sources.exists',
    message: 'This space has an event source with this `source` and `match` already.',
  });
}

export function tooManySources(limit: number): ApiError {
  return new ApiError({
    status: 409,
    code: 'sources.too-many',
    message: `A space has ${limit} event sources at most; delete one, or register a prefix for several.`,
  });
}
