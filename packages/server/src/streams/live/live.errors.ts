import { ApiError } from '@gatehouse/contract';

/** 503: the process holds as many streams as it may. */
export function tooManyListeners(): ApiError {
  return new ApiError({
    status: 503,
    code: 'events.too-many-listeners',
    message: 'As many streams are open as this service holds; try again in a moment.',
    headers: { 'retry-after': '10' },
  });
}

/** 429: the space holds as many streams as it may. */
export function tooManyInSpace(): ApiError {
  return new ApiError({
    status: 429,
    code: 'events.too-many-listeners',
    message: 'As many streams of this space are open as it may have; close some, or try again.',
    headers: { 'retry-after': '10' },
  });
}

/** 503: a stream would end as soon as it is open. */
export function serviceStopping(): ApiError {
  return new ApiError({
    status: 503,
    code: 'events.stopping',
    message: 'The service stops; connect again in a moment.',
    headers: { 'retry-after': '2' },
  });
}
