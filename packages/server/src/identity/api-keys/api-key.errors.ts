import { ApiError } from '@gatehouse/contract';

/** Also for a key of another space, so that nobody can probe for ids. */
export function noSuchKey(): ApiError {
  return new ApiError({
    status: 404,
    code: 'access.key-not-found',
    message: 'There is no such API key in this space.',
  });
}
