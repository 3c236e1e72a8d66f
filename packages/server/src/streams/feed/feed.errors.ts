import { ApiError, invalidRequest } from '@gatehouse/contract';

/** 400: a session without `spaceId`. */
export function spaceMissing(): ApiError {
  return new ApiError({
    status: 400,
    code: 'events.invalid',
    message: 'With a session the space must be named: add ?spaceId= with its id.',
    issues: [{ message: 'spaceId: is required with a session' }],
  });
}

/** 400: a query parameter is invalid. */
export function invalidQuery(problem: string): ApiError {
  return invalidRequest('events', [problem]);
}
