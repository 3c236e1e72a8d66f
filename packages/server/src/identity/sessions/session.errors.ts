import { ApiError } from '@gatehouse/contract';

export function noSuchSession(): ApiError {
  return new ApiError({
    status: 404,
    code: 'access.session-not-found',
    message: 'You have no session with this ID.',
  });
}
