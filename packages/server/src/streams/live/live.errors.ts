import { ApiError } from '@gatehouse/contract';

export function tooManyListeners(): ApiError {
  return new ApiError({
    status: 503,
    code: 'events.too-many-listeners',
    message:
      'The service has reached the maximum number of open streams. Retry after the delay in Retry-After.',
    headers: { 'retry-after': '10' },
  });
}

export function tooManyInSpace(): ApiError {
  return new ApiError({
    status: 429,
    code: 'events.too-many-listeners',
    message:
      'The space has reached the maximum number of open streams. Close a stream, or retry after the delay in Retry-After.',
    headers: { 'retry-after': '10' },
  });
}

export function serviceStopping(): ApiError {
  return new ApiError({
    status: 503,
    code: 'events.stopping',
    message: 'The service is shutting down. Reconnect after the delay in Retry-After.',
    headers: { 'retry-after': '2' },
  });
}
