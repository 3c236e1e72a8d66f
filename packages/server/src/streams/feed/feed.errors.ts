import { ApiError, invalidRequest } from '@gatehouse/contract';

export function spaceMissing(): ApiError {
  return new ApiError({
    status: 400,
    code: 'events.invalid',
    message:
      'A request with a session must name the space. Add ?spaceId= with the ID of the space.',
    issues: [{ message: 'spaceId: is required with a session' }],
  });
}

export function invalidQuery(problem: string): ApiError {
  return invalidRequest('events', [problem]);
}
